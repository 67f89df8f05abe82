"""The paper's error bounds, computed and put to the test."""
