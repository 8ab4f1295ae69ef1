"""Display of extractions: HTML pages, and values highlighted in their documents."""
