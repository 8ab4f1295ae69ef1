"""The table of recommended models in docs/models.md: ``python -m tools.recommended``."""

from __future__ import annotations

from hpd.messages import format_table
from hpd.models.hub.inventory import recommended_memory
from hpd.models.hub.recommended import RECOMMENDED
from hpd.models.memory import readable_size


def main() -> None:
    rows = [["name", "repository", "quantisation", "licence", "good for", "file", "memory"]]
    for model in RECOMMENDED:
        sizes = readable_size(model.file_gb * 1e9), readable_size(recommended_memory(model))
        texts = model.name, model.repository, model.quantisation, model.licence, model.good_for
        rows.append([*texts, *sizes])
    print(format_table(rows, n_left=5))


if __name__ == "__main__":
    main()
