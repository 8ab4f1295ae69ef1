"""Documents as people write them: kinds with facts, and wordings written by hand."""
