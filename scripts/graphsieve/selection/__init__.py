"""Which features to keep, once or while training."""
