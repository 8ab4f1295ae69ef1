"""Code that all measurements on the pages share.

Each part measures one thing and writes one result: a JSON file with tables, the commands that made
them, and the conditions. The pages are written from these files. ``part`` is the command line,
``workbench`` runs commands, ``result`` is the file, ``page`` fills in pages.
"""
