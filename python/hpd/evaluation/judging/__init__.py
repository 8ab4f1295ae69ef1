"""Extracted values judged by a model (paper, section 5 and appendix E).

``inquiries`` puts a document and its values into a question with a verdict for each, ``verdicts``
reads the answers, ``scores`` and ``gold_agreement`` add them up. Any extractor can answer.
"""
