"""The figures, tables and claims of the paper, made again as far as they can be."""
