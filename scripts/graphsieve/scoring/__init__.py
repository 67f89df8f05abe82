"""Scores of features: the registry of scorers and what they compute."""
