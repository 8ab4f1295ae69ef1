"""The products of llama.cpp by type and number of tokens, beside a product of PyTorch in bf16.

    python -m benchmarks.roofline [--rows 1024 --columns 3072] [-t THREADS]

Each line is the fastest of several products of a weight matrix with so many tokens, computed by
llama.cpp's own graphs, with repacked weights and AMX where hpd uses them. TFLOP/s count two
operations for each weight and token, GB/s the bytes of the weights. One weight matrix that fits
into the processor's caches would be read from there, so there are as many as do not. Prints a
Markdown table. Needs the extra `training`.
"""

from __future__ import annotations

import argparse
import ctypes
import time
from collections.abc import Callable
from dataclasses import dataclass

import llama_cpp
import torch
from llama_cpp._ggml import libggml as ggml

from benchmarks.llama_log import silence
from hpd.machine.hardware import n_cores, use_extra_bufts

_TYPES = {"Q8_0": 8, "Q4_0": 2, "Q4_K": 12, "Q5_K": 13, "Q6_K": 14, "BF16": 30}  # enum ggml_type
_F32 = 0
_FLOAT = 4  # bytes
_MOST_ERROR = 0.2  # of a product with weights of 4 bits, which are noise here
_N_TOKENS = (1, 16, 64, 512)
_CPU_DEVICE = 0  # GGML_BACKEND_DEVICE_TYPE_CPU
_Pointer = ctypes.c_void_p


class _InitParams(ctypes.Structure):
    _fields_ = (
        ("mem_size", ctypes.c_size_t),
        ("mem_buffer", ctypes.c_void_p),
        ("no_alloc", ctypes.c_bool),
    )


def _declare() -> None:
    """Tell ctypes what the functions of ggml take and give."""
    i64, size, integer = ctypes.c_int64, ctypes.c_size_t, ctypes.c_int
    functions: dict[str, tuple[list[type], type | None]] = {
        "ggml_init": ([_InitParams], _Pointer),
        "ggml_free": ([_Pointer], None),
        "ggml_new_tensor_2d": ([_Pointer, integer, i64, i64], _Pointer),
        "ggml_mul_mat": ([_Pointer, _Pointer, _Pointer], _Pointer),
        "ggml_new_graph": ([_Pointer], _Pointer),
        "ggml_build_forward_expand": ([_Pointer, _Pointer], None),
        "ggml_nbytes": ([_Pointer], size),
        "ggml_quantize_chunk": (
            [integer, _Pointer, _Pointer, i64, i64, i64, _Pointer],
            size,
        ),
        "ggml_backend_dev_by_type": ([integer], _Pointer),
        "ggml_backend_dev_init": ([_Pointer, ctypes.c_char_p], _Pointer),
        "ggml_backend_dev_backend_reg": ([_Pointer], _Pointer),
        "ggml_backend_reg_get_proc_address": ([_Pointer, ctypes.c_char_p], _Pointer),
        "ggml_backend_get_default_buffer_type": ([_Pointer], _Pointer),
        "ggml_backend_buft_alloc_buffer": ([_Pointer, size], _Pointer),
        "ggml_backend_buft_get_alloc_size": ([_Pointer, _Pointer], size),
        "ggml_backend_buft_name": ([_Pointer], ctypes.c_char_p),
        "ggml_backend_buffer_get_base": ([_Pointer], _Pointer),
        "ggml_backend_buffer_free": ([_Pointer], None),
        "ggml_backend_tensor_alloc": ([_Pointer, _Pointer, _Pointer], integer),
        "ggml_backend_tensor_set": ([_Pointer, _Pointer, size, size], None),
        "ggml_backend_tensor_get": ([_Pointer, _Pointer, size, size], None),
        "ggml_backend_dev_supports_op": ([_Pointer, _Pointer], ctypes.c_bool),
        "ggml_backend_graph_compute": ([_Pointer, _Pointer], integer),
        "ggml_backend_free": ([_Pointer], None),
    }
    for name, (takes, gives) in functions.items():
        function = getattr(ggml, name)
        function.argtypes, function.restype = takes, gives


@dataclass(frozen=True)
class Shape:
    """A weight matrix, and how many of them are computed one after another."""

    n_columns: int
    n_rows: int
    n_matrices: int

    def flops(self, n_tokens: int) -> float:
        """The operations of all products."""
        return 2.0 * self.n_columns * self.n_rows * self.n_matrices * n_tokens


def fastest(work: Callable[[], None], seconds: float) -> float:
    """The least time of a piece of work, done again and again for so long; first to warm up."""
    work()
    best = float("inf")
    end = time.perf_counter() + seconds
    while best == float("inf") or time.perf_counter() < end:
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


class Device:
    """The CPU as llama.cpp computes on it."""

    def __init__(self, n_threads: int) -> None:
        self.device = ggml.ggml_backend_dev_by_type(_CPU_DEVICE)
        self.backend = ggml.ggml_backend_dev_init(self.device, None)
        registry = ggml.ggml_backend_dev_backend_reg(self.device)

        def function(name: bytes, *signature: type | None) -> Callable[..., object]:
            address = ggml.ggml_backend_reg_get_proc_address(registry, name)
            return ctypes.CFUNCTYPE(*signature)(address)

        set_threads = function(b"ggml_backend_set_n_threads", None, ctypes.c_void_p, ctypes.c_int)
        set_threads(self.backend, n_threads)
        listed = function(
            b"ggml_backend_dev_get_extra_bufts", ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p
        )(self.device)
        self.buffer_types: list[int] = []
        if use_extra_bufts():
            position = 0
            while listed and listed[position]:  # type: ignore[index]
                self.buffer_types.append(listed[position])  # type: ignore[index]
                position += 1
        self.usual = ggml.ggml_backend_get_default_buffer_type(self.backend)

    def seconds(self, kind: int, shape: Shape, n_tokens: int, limit: float) -> tuple[float, int]:
        """The time of the products, and the bytes of the weights."""
        context = ggml.ggml_init(_InitParams(1 << 22, None, True))
        new = ggml.ggml_new_tensor_2d
        weights = [
            new(context, kind, shape.n_columns, shape.n_rows) for _ in range(shape.n_matrices)
        ]
        texts = new(context, _F32, shape.n_columns, n_tokens)
        graph = ggml.ggml_new_graph(context)
        products = [ggml.ggml_mul_mat(context, weight, texts) for weight in weights]
        for product in products:
            ggml.ggml_build_forward_expand(graph, product)
        buffers = [self._allocate(self.usual, [texts, *products])]
        buffers.append(self._weights_buffer(weights, products[0]))
        expected = self._fill(kind, shape, weights, texts)
        try:
            taken = fastest(lambda: ggml.ggml_backend_graph_compute(self.backend, graph), limit)
            self._check(products[-1], expected)
            return taken, sum(ggml.ggml_nbytes(weight) for weight in weights)
        finally:
            for buffer in buffers:
                ggml.ggml_backend_buffer_free(buffer)
            ggml.ggml_free(context)

    def _weights_buffer(self, weights: list[int], product: int) -> int:
        """Put weights where llama.cpp would: into the first kind of memory with a kernel for it."""
        for kind in self.buffer_types:
            buffer = self._allocate(kind, weights)
            if ggml.ggml_backend_dev_supports_op(self.device, product):
                return buffer
            self._forget(weights)
            ggml.ggml_backend_buffer_free(buffer)
        return self._allocate(self.usual, weights)

    def _allocate(self, kind: int, tensors: list[int]) -> int:
        sizes = [ggml.ggml_backend_buft_get_alloc_size(kind, tensor) for tensor in tensors]
        steps = [-(-size // 128) * 128 for size in sizes]
        buffer = int(ggml.ggml_backend_buft_alloc_buffer(kind, sum(steps)))
        place = ggml.ggml_backend_buffer_get_base(buffer)
        for tensor, step in zip(tensors, steps, strict=True):
            ggml.ggml_backend_tensor_alloc(buffer, tensor, place)
            place += step
        return buffer

    def _forget(self, tensors: list[int]) -> None:
        for tensor in tensors:
            fields = llama_cpp_tensor(tensor)
            fields.buffer = fields.data = fields.extra = None

    def _fill(self, kind: int, shape: Shape, weights: list[int], texts: int) -> torch.Tensor:
        """Set all weights to the same numbers; returns the product that must come out."""
        numbers = torch.randn(shape.n_rows, shape.n_columns)
        n_bytes = ggml.ggml_nbytes(weights[0])
        quantised = ctypes.create_string_buffer(n_bytes)
        ggml.ggml_quantize_chunk(
            kind, numbers.data_ptr(), quantised, 0, shape.n_rows, shape.n_columns, None
        )
        for weight in weights:
            ggml.ggml_backend_tensor_set(weight, quantised, 0, n_bytes)
        n_tokens = ggml.ggml_nbytes(texts) // (_FLOAT * shape.n_columns)
        read = torch.randn(n_tokens, shape.n_columns)
        ggml.ggml_backend_tensor_set(texts, read.data_ptr(), 0, _FLOAT * read.numel())
        return read @ numbers.T

    def _check(self, product: int, expected: torch.Tensor) -> None:
        found = torch.empty_like(expected)
        ggml.ggml_backend_tensor_get(product, found.data_ptr(), 0, _FLOAT * found.numel())
        error = float((found - expected).norm() / expected.norm())
        if not error < _MOST_ERROR:
            raise SystemExit(f"a product is wrong by {error:.0%}: these figures mean nothing")

    def close(self) -> None:
        """Free it."""
        ggml.ggml_backend_free(self.backend)


class _Tensor(ctypes.Structure):
    """The fields of ggml_tensor; those behind `ne` are found by their order."""

    _fields_ = (
        ("type", ctypes.c_int),
        ("buffer", ctypes.c_void_p),
        ("ne", ctypes.c_int64 * 4),
        ("nb", ctypes.c_size_t * 4),
        ("op", ctypes.c_int),
        ("op_params", ctypes.c_int32 * 16),
        ("flags", ctypes.c_int32),
        ("src", ctypes.c_void_p * 10),
        ("view_src", ctypes.c_void_p),
        ("view_offs", ctypes.c_size_t),
        ("data", ctypes.c_void_p),
        ("name", ctypes.c_char * 64),
        ("extra", ctypes.c_void_p),
    )


def llama_cpp_tensor(address: int) -> _Tensor:
    """The fields of a tensor."""
    return ctypes.cast(address, ctypes.POINTER(_Tensor)).contents


def pytorch_seconds(shape: Shape, n_tokens: int, limit: float) -> float:
    """The time of the same products in bf16, as PyTorch's library for this processor has them."""
    weights = [
        torch.randn(shape.n_rows, shape.n_columns, dtype=torch.bfloat16)
        for _ in range(shape.n_matrices)
    ]
    texts = torch.randn(n_tokens, shape.n_columns, dtype=torch.bfloat16)

    def multiply() -> None:
        for weight in weights:
            torch.nn.functional.linear(texts, weight)

    with torch.inference_mode():
        return fastest(multiply, limit)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, default=1024, help="a multiple of 256")
    parser.add_argument("--rows", type=int, default=3072)
    parser.add_argument("--matrices", type=int, default=28, help="one after another")
    parser.add_argument("-t", "--threads", type=int, default=n_cores())
    parser.add_argument("--seconds", type=float, default=1.0, help="for each figure")
    options = parser.parse_args(arguments)
    shape = Shape(options.columns, options.rows, options.matrices)
    _declare()
    silence()
    llama_cpp.llama_backend_init()
    torch.set_num_threads(options.threads)
    device = Device(options.threads)
    print("| product | tokens | ms | TFLOP/s | GB/s |")
    print("|---|---:|---:|---:|---:|")

    def show(name: str, n_tokens: int, seconds: float, n_bytes: int) -> None:
        teraflops = shape.flops(n_tokens) / seconds / 1e12
        gigabytes = n_bytes / seconds / 1e9
        print(
            f"| {name} | {n_tokens} | {1000 * seconds:.2f} | {teraflops:.3f} | {gigabytes:.1f} |",
            flush=True,
        )

    for n_tokens in _N_TOKENS:
        for name, kind in _TYPES.items():
            show(name, n_tokens, *device.seconds(kind, shape, n_tokens, options.seconds))
        n_bytes = 2 * shape.n_columns * shape.n_rows * shape.n_matrices
        seconds = pytorch_seconds(shape, n_tokens, options.seconds)
        show("PyTorch, bf16", n_tokens, seconds, n_bytes)
    device.close()


if __name__ == "__main__":
    main()
