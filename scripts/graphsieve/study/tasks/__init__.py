"""Other tasks than the paper's: links, whole graphs, numbers; which columns each of them needs."""
