"""Defaults of options that the file of a model may decide."""

from __future__ import annotations

from dataclasses import dataclass

from hpd._native import Model
from hpd.options import Options
from hpd.values.grammar import DECIDE_KEY
from hpd.values.stated import STATED_KEY


@dataclass(frozen=True, slots=True)
class ModelDefaults:
    """Defaults of those options that are None unless someone asks for one or the other."""

    stated: bool = False
    decide: bool = False

    @classmethod
    def of(cls, model: Model, *, is_calibrated: bool) -> ModelDefaults:
        """Those that the metadata of a model's file asks for.

        Args:
            model: the model.
            is_calibrated: whether the file's own calibration is in use, without which nothing tells
                where the best choice is too unlikely.
        """
        decide = is_calibrated and model.metadata(DECIDE_KEY) == "on"
        return cls(model.metadata(STATED_KEY) == "on", decide)

    def over(self, options: Options) -> ModelDefaults:
        """The same, where ``options`` say nothing else."""
        return ModelDefaults(
            self.stated if options.stated is None else options.stated,
            self.decide if options.decide is None else options.decide,
        )


NO_DEFAULTS = ModelDefaults()
"""Those of a file that says nothing."""
