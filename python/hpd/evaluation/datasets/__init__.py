"""The files of published data sets, read as documents with gold values.

Each format has a reader of its own; ``hpd.evaluation.datasets.catalogue`` names them all.
"""
