"""Language models and what stands in for one. ``rules`` is the extractor that needs no model: free, deterministic, offline."""
