"""What a job of the workflow may use and did use, and what its config must be."""
