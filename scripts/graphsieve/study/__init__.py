"""What the paper's tables and claims are made of."""
