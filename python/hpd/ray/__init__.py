"""Extraction on a Ray cluster.

>>> import hpd.ray
>>> values = hpd.ray.extract(ray.data.read_parquet("mails/"), "brand, price float", column="text")
>>> values.write_parquet("values/")
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hpd.errors import InputError
from hpd.extractor import OnError, check_on_error
from hpd.frames import BatchExtractor
from hpd.options import Options, combine_options
from hpd.pipeline.task import make_task
from hpd.ray.cluster import BATCHES_PER_WORKER, ray_module, worker_resources
from hpd.schema import as_schemas

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hpd.options import Settings
    from hpd.pipeline.examples import ExamplesForm

__all__ = ["extract"]

_MAX_LOST_WORKERS: Final = 3
"""Maximum number of workers that may be lost while they have the same batch."""


class MapWorker(BatchExtractor):
    """A ``BatchExtractor`` that loads its model when it is created, on each worker."""

    def __init__(self, schema: object, **settings: Any) -> None:
        super().__init__(schema, **settings)
        self.load()


def extract(
    dataset: Any,
    schema: object,
    *,
    column: str,
    category_column: str | None = None,
    model: str | Path | None = None,
    hf_repo: str | None = None,
    options: Options | None = None,
    examples: ExamplesForm | Mapping[str, ExamplesForm] = (),
    system_prompt: str | None = None,
    prefix: str = "",
    confidence: bool = False,
    spans: bool = False,
    on_error: OnError = "record",
    concurrency: int | tuple[int, int] | None = None,
    num_cpus: float | None = None,
    num_gpus: float | None = None,
    batch_size: int = 256,
    **settings: Unpack[Settings],
) -> Any:
    """Return the data set with a typed column for each attribute, like ``hpd.frames.extract``.

    Nothing is computed until the result is read or written. Each worker is a separate process that
    loads the model once. If a worker is lost, it is restarted, and its batches are repeated.
    Arguments that are not below are as for ``hpd.frames.BatchExtractor``.

    Args:
        dataset: a ``ray.data.Dataset``.
        model: path of a GGUF file that exists on every machine; None for the bundled model.
        hf_repo: ``user/repo[:QUANT]`` on the Hugging Face Hub, which every machine downloads.
        on_error: ``record`` the error of a document in the column ``error``, or ``raise`` it, which
            ends the whole computation.
        concurrency: the number of workers, or its minimum and maximum; default: one per GPU, or
            per machine.
        num_cpus: cores to reserve for each worker; default: slightly less than its share.
        num_gpus: GPUs per worker, possibly a fraction; default: one if the cluster has any.
        batch_size: number of rows per batch.
        settings: options by name, as in ``Options``. Without ``n_threads``, each worker uses its
            share of the cores.

    Raises:
        InputError: Ray is not installed, or ``dataset`` is not a data set of Ray.
        OptionError: an option is invalid, or no machine has enough GPUs.
        SchemaError: the schema cannot be read.
    """
    ray = ray_module()
    if not isinstance(dataset, ray.data.Dataset):
        raise InputError(
            f"{type(dataset).__name__} is not a data set of Ray: make one, for example with "
            "ray.data.read_parquet(...) or ray.data.from_pandas(frame)"
        )
    schemas = as_schemas(schema)
    chosen = combine_options(options, settings)
    make_task(schemas, chosen, examples, system_prompt)
    check_on_error(on_error)
    n_min, n_max = concurrency if isinstance(concurrency, tuple) else (concurrency, concurrency)
    if not ray.is_initialized():
        ray.init()  # as Ray Data itself would
    resources = worker_resources(ray.nodes(), n_max, num_gpus)
    if not chosen.n_threads:
        chosen = chosen.with_settings({"n_threads": resources.n_threads})
    return dataset.map_batches(
        MapWorker,
        fn_constructor_args=(schemas,),
        fn_constructor_kwargs={
            "column": column,
            "category_column": category_column,
            "model": model,
            "hf_repo": hf_repo,
            "options": chosen,
            "examples": examples,
            "system_prompt": system_prompt,
            "prefix": prefix,
            "confidence": confidence,
            "spans": spans,
            "on_error": on_error,
        },
        batch_format="pyarrow",
        batch_size=batch_size,
        compute=ray.data.ActorPoolStrategy(
            min_size=n_min or resources.n_workers,
            max_size=n_max or resources.n_workers,
            max_concurrent_calls_per_actor=BATCHES_PER_WORKER,
            enable_true_multi_threading=True,
        ),
        num_cpus=resources.n_cpus if num_cpus is None else num_cpus,
        num_gpus=resources.n_gpus or None,
        max_restarts=-1,
        max_task_retries=_MAX_LOST_WORKERS,
    )
