"""The engine for models made of known convolutions with row-wise operations between them."""
