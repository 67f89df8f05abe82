"""Graphs: by name, of one's own, generated, split, normalised and perturbed."""
