"""The networks of the study, and how they are trained."""
