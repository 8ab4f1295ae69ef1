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
from hpd.pipeline import check_task
from hpd.ray.cluster import BATCHES_PER_WORKER, machines, ray_module, worker_share
from hpd.schema import as_schemas

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hpd.options import Settings
    from hpd.pipeline import ExamplesForm

__all__ = ["extract"]

_MAX_LOST_WORKERS: Final = 3
"""The workers that may be lost over the same batch."""


class MapWorker(BatchExtractor):
    """A ``BatchExtractor`` that loads its model when it is made, which Ray does on each worker."""

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
    """The data set with a typed column for each attribute, as ``hpd.frames.extract`` adds them.

    Nothing is computed before the result is written or read. Each worker is a process of its own,
    which loads the model once. One that is lost is started again, and its batches are done again.

    Args:
        dataset: a ``ray.data.Dataset``.
        schema: in any form that ``Extractor`` takes.
        column: the column with the texts.
        category_column: the column with the categories, if the schema is by category.
        model: path of a GGUF file, which is there on every machine; None for the bundled model.
        hf: ``user/repo[:QUANT]`` on the Hugging Face Hub, which every machine fetches by itself.
        options: how to read and decode. Single options may be given by name as well.
        examples: documents with their answers, as in ``Extractor``.
        system_prompt: the system's text, as in ``Extractor``.
        prefix: stands before the names of all new columns.
        confidence: whether to add ``NAME_confidence``.
        spans: whether to add ``NAME_span``.
        on_error: ``record`` the error of a document in the column ``error``, or ``raise`` it, which
            ends everything.
        concurrency: the number of workers, or the least and the most; else one for each GPU, or
            each machine.
        num_cpus: the cores that are reserved for each worker; else almost its share.
        num_gpus: the GPUs of each worker, or a part of one; else one if the cluster has any.
        batch_size: the rows of a batch.
        settings: options by name, as in ``Options``. Without ``n_threads``, each worker computes
            with its share of the cores.

    Raises:
        InputError: Ray is not installed, or the data set is something else.
        OptionError: an option cannot have its value, or no machine has so many GPUs.
        SchemaError: the schema cannot be read.
    """
    ray = ray_module()
    if not isinstance(dataset, ray.data.Dataset):
        raise InputError(
            f"{type(dataset).__name__} is not a data set of Ray: ray.data.read_parquet(...), "
            "ray.data.from_pandas(frame) and the like make one"
        )
    schemas = as_schemas(schema)
    chosen = combine_options(options, settings)
    check_task(chosen, schemas, system_prompt)
    check_on_error(on_error)
    least, most = concurrency if isinstance(concurrency, tuple) else (concurrency, concurrency)
    if not ray.is_initialized():
        ray.init()  # as Ray Data itself would
    part = worker_share(machines(ray.nodes()), most, num_gpus)
    if not chosen.n_threads:
        chosen = chosen.with_settings({"n_threads": part.n_threads})
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
            min_size=least or part.n_workers,
            max_size=most or part.n_workers,
            max_concurrent_calls_per_actor=BATCHES_PER_WORKER,
            enable_true_multi_threading=True,
        ),
        num_cpus=part.n_cpus if num_cpus is None else num_cpus,
        num_gpus=part.n_gpus or None,
        max_restarts=-1,
        max_task_retries=_MAX_LOST_WORKERS,
    )
