"""The engine that recomputes, layer by layer, only the rows that a change reaches."""
