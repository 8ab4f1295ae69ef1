"""The products of llama.cpp by type and number of tokens, beside a product of PyTorch in bf16.

    python benchmarks/roofline.py [--rows 3072 --columns 1024] [-t THREADS]

Each line is the fastest of several products of a weight matrix with so many tokens, computed by
llama.cpp's own graphs, with repacked weights and AMX where hpd uses them (``hpd models --speed``
times a few of them). TFLOP/s count two operations for each weight and token, GB/s the bytes of the
weights. One weight matrix that fits into the processor's caches would be read from there, so there
are as many as do not. Prints a Markdown table. Needs the extra `training`.
"""

from __future__ import annotations

import argparse
import time

import torch

from hpd import _native
from hpd.models.hardware import n_cores, use_amx

_TYPES = ("Q8_0", "Q4_0", "Q4_K", "Q5_K", "Q6_K", "BF16")
_N_TOKENS = (1, 16, 64, 512)
_N_BYTES_BF16 = 2


def pytorch_seconds(options: argparse.Namespace, n_tokens: int) -> float:
    """The time of the same products in bf16, as PyTorch's library for this processor has them."""
    shape = options.rows, options.columns
    weights = [torch.randn(*shape, dtype=torch.bfloat16) for _ in range(options.matrices)]
    texts = torch.randn(n_tokens, options.columns, dtype=torch.bfloat16)

    def multiply() -> float:
        start = time.perf_counter()
        for weight in weights:
            torch.nn.functional.linear(texts, weight)
        return time.perf_counter() - start

    with torch.inference_mode():
        multiply()
        taken = [multiply()]
        while sum(taken) < options.seconds:
            taken.append(multiply())
    return min(taken)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, default=1024, help="a multiple of 256")
    parser.add_argument("--rows", type=int, default=3072)
    parser.add_argument("--matrices", type=int, default=28, help="one after another")
    parser.add_argument("-t", "--threads", type=int, default=n_cores())
    parser.add_argument("--seconds", type=float, default=1.0, help="for each figure")
    options = parser.parse_args(arguments)
    torch.set_num_threads(options.threads)
    n_weights = options.columns * options.rows * options.matrices
    print("| product | tokens | ms | TFLOP/s | GB/s |")
    print("|---|---:|---:|---:|---:|")

    def show(name: str, n_tokens: int, seconds: float, n_bytes: int) -> None:
        teraflops = 2 * n_weights * n_tokens / seconds / 1e12
        gigabytes = n_bytes / seconds / 1e9
        print(
            f"| {name} | {n_tokens} | {1000 * seconds:.2f} | {teraflops:.3f} | {gigabytes:.1f} |",
            flush=True,
        )

    use_amx()  # or not, as when a model is loaded
    for n_tokens in _N_TOKENS:
        for name in _TYPES:
            seconds, n_bytes = _native.time_products(
                name,
                n_columns=options.columns,
                n_rows=options.rows,
                n_matrices=options.matrices,
                n_tokens=n_tokens,
                n_threads=options.threads,
                seconds=options.seconds,
            )
            show(name, n_tokens, seconds, n_bytes)
        seconds = pytorch_seconds(options, n_tokens)
        show("PyTorch, bf16", n_tokens, seconds, _N_BYTES_BF16 * n_weights)


if __name__ == "__main__":
    main()
