"""From documents to extractions, through one engine.

``pipeline`` groups documents of one category into prompts, and ``prompt_maker`` splits those that
do not fit into the context. A prompt (``prompts``) makes one request per wave from its
``compiled_schema``; the loop in ``pipeline`` passes the requests to the engine. The answers become
``document_values``, which become the extraction. ``reuse`` keeps values, in case the same document
comes again.

``task``, ``examples`` and ``cancellation`` are what the rest of the package needs before there is
an engine: they do not load it.
"""
