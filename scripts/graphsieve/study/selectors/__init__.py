"""The comparison of selectors: accuracy against what is kept, ranks and tests, cost, stability, transfer, advice."""
