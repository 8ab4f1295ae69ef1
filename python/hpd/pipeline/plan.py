"""The plan of a run: its task, checked, and its model, found, before anything is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from hpd.models.calibrations import stored_calibration
from hpd.models.model_files import resolve_model
from hpd.options import Options
from hpd.pipeline.examples import ExamplesForm
from hpd.pipeline.task import Task, make_task
from hpd.schema import as_schemas
from hpd.values.confidence import ConfidenceMap, map_of_option


@dataclass(frozen=True, eq=False)
class RunPlan:
    """What a run extracts, and with which model."""

    task: Task
    """Its options may be unset: they are those that the user gave."""
    model_name: str | Path | None
    hf_repo: str | None
    confidence_map: ConfidenceMap | None
    """The calibration that the options name."""

    @cached_property
    def model(self) -> Path:
        """The model's file, found or downloaded when it is first asked for.

        Raises:
            ModelLoadError: it cannot be found.
        """
        progress = not self.task.options.quiet
        return resolve_model(self.model_name, self.hf_repo, progress=progress)

    @cached_property
    def stored_calibration(self) -> ConfidenceMap | None:
        """The calibration that was fitted to the model on this machine, where it is used: if the
        options name none, and no adapter, to which it was not fitted."""
        options = self.task.options
        return None if options.calibration or options.adapters else stored_calibration(self.model)


def plan_run(
    schema: object,
    model: str | Path | None,
    hf_repo: str | None,
    options: Options,
    examples: ExamplesForm | Mapping[str, ExamplesForm] = (),
    system_prompt: str | None = None,
) -> RunPlan:
    """Return the plan of a run; the arguments are those of ``Extractor``.

    Raises:
        OptionError: an option, an example or the calibration is invalid.
        SchemaError: the schema cannot be read, or the method does not support it.
    """
    task = make_task(as_schemas(schema), options, examples, system_prompt)
    return RunPlan(task, model, hf_repo, map_of_option(options.calibration))
