"""Extraction on the machines of a Ray cluster.

>>> import hpd.ray
>>> values = hpd.ray.extract(ray.data.read_parquet("mails/"), "brand, price number", column="text")
>>> values.write_parquet("values/")
"""

from hpd.ray.datasets import extract

__all__ = ["extract"]
