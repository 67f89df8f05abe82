"""Ways to compute the logits of perturbed copies: the reference and two that are faster and exact."""
