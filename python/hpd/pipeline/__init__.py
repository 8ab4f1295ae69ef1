"""The way from documents to extractions, through one engine.

``pipeline`` puts documents of the same category into stacks, ``long_documents`` makes jobs of them
that fit the context, each job asks its questionnaire for requests, ``runner`` and ``worker`` take
these through the engine, and the findings of the job become extractions.
"""
