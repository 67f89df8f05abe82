"""Known convolutions as polynomials of a sparse matrix, for fewer operations with the same result."""
