"""Measurements that the pages show, made by ``benchmarks.reproduce`` and ``benchmarks.tables``.

Each part of these programs makes one result: a JSON file with tables, the commands that made them,
and the conditions. The pages are written from these files, so no figure stands there without its
command. ``result`` is the file, ``workbench`` runs commands, ``command`` is the command line of
both programs, ``pages`` writes the pages; the other modules are the parts.
"""
