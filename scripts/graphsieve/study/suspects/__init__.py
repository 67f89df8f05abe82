"""The study of suspects: which protocol gives the published numbers of Tables 1 and 2."""
