"""Blind pairwise comparison by people (paper, appendix D).

An annotator sees a document and the values of two systems side by side, not knowing which is
which, and says which are truer to the document, or that neither are. Judgements are kept one a
line; from them come the matrix of wins, ties and losses, a score for each system, and how far
annotators agree.
"""
