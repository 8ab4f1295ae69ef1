"""Extractions shown in a browser: one view of a document for every page and for notebooks.

What is shown is taken from a line of ``hpd extract`` as it stands there, a mapping. A page is one
file without network: its style sheets, scripts and data stand in it. What a document says is never
markup: templates escape it, and scripts only ever set the text of an element.
"""
