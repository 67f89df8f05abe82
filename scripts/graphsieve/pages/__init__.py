"""HTML pages: a run's own page and a ranking's."""
