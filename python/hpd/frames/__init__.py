"""Frames with a column of texts, to which typed columns of values are added.

>>> import hpd.frames
>>> hpd.frames.extract(frame, "brand, price number", column="title")  # of pandas, polars or Arrow
>>> dataset.map(hpd.frames.BatchExtractor("brand, price number", column="title"), batched=True)
"""

from hpd.frames.batches import BatchExtractor
from hpd.frames.whole import extract

__all__ = ["BatchExtractor", "extract"]
