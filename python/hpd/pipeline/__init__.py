"""From documents to extractions, through one engine.

A document's way: ``pipeline`` puts documents of one category into a stack, ``long_documents`` makes
jobs of it that fit the context, a job asks its questionnaire for requests, ``runner`` takes them
through the engine, and the job's findings become extractions.
"""
