"""A user's own graph: a folder of CSV files, an .npz or a .pt file."""
