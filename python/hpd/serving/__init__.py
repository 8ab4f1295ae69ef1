"""An HTTP server around one extractor: ``/extract``, and OpenAI's chat completions.

Nothing here but ``app``, ``metrics`` and ``running`` needs the packages of the extra ``serve``.
"""
