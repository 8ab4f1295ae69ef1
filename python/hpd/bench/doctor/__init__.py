"""The state of this installation: what it runs on, whether it works, and what to do if not."""

from hpd.bench.doctor.checks import Check, State
from hpd.bench.doctor.examination import examine

__all__ = ["Check", "State", "examine"]
