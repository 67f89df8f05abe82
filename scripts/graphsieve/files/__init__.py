"""Files in and out: written whole or not at all, and checked when they are read."""
