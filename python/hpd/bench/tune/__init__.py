"""The search for the fastest settings of a model on this machine.

``search`` decides which settings are tried and which win, ``timing`` tries them on documents, and
``catalogue`` makes up documents if there are none. The result goes to
``hpd.models.tuned_settings``.
"""
