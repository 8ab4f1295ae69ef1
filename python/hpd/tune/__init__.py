"""The fastest settings for a model on this machine, found by trying a few.

``search`` decides what is tried and what wins, ``timing`` tries it on documents, ``catalogue``
makes some up where there are none. What was found is kept by ``hpd.machine.tuned_settings``.
"""
