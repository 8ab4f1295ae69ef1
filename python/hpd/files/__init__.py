"""Records: documents read from files of any format, and results written as lines.

Everything is lazy: ten million lines take no more memory than ten. A line that cannot be read
becomes a record with an ``error``; the rest is still read.
"""
