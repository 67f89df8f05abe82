"""A ranking of features with standard errors and p-values."""
