"""Write a GGUF of a real model's shape with random weights, to measure the cost of running it.

The cost of a step depends on the shapes and types of the tensors, not on their contents. So such a
file can stand in for the real model where its weights are not at hand.

    python benchmarks/make_model.py --shape qwen3-0.6b --type Q8_0 model.gguf
    python benchmarks/make_model.py --shape qwen3-8b --type Q4_K --vocab Qwen3-8B.gguf model.gguf
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import os
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import gguf
import numpy as np
from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter, TokenType


@dataclass(frozen=True)
class Shape:
    """The hyper-parameters of a Qwen3 model."""

    n_layer: int
    n_embd: int
    n_ff: int
    n_head: int
    n_head_kv: int
    tied: bool
    """Whether the output matrix is the embedding matrix."""
    head_dim: int = 128
    n_ctx: int = 40960
    rope_base: float = 1_000_000.0
    rms_eps: float = 1e-6
    n_vocab: int = 151_936


SHAPES = {
    # The sizes of SmolLM2, in Qwen3's architecture, which costs as much.
    "smollm2-135m": Shape(30, 576, 1536, 9, 3, tied=True, head_dim=64, n_ctx=8192, n_vocab=49_152),
    "smollm2-360m": Shape(32, 960, 2560, 15, 5, tied=True, head_dim=64, n_ctx=8192, n_vocab=49_152),
    "qwen3-0.6b": Shape(28, 1024, 3072, 16, 8, tied=True),
    "qwen3-1.7b": Shape(28, 2048, 6144, 16, 8, tied=True),
    "qwen3-8b": Shape(36, 4096, 12288, 32, 8, tied=False),
}

# The usual files of fewer bits are mixes of types, as llama.cpp's own quantiser chooses them.
_QUANTISED_BY_LLAMA_CPP = {
    "Q4_0": "LLAMA_FTYPE_MOSTLY_Q4_0",
    "Q4_K": "LLAMA_FTYPE_MOSTLY_Q4_K_M",
    "Q5_K": "LLAMA_FTYPE_MOSTLY_Q5_K_M",
    "Q6_K": "LLAMA_FTYPE_MOSTLY_Q6_K",
}
TYPES = ("F16", "Q8_0", *_QUANTISED_BY_LLAMA_CPP)

CHAT_TEMPLATE = (
    "{%- for message in messages -%}"
    "{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}"
    "{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{ '<|im_start|>assistant\\n' }}{%- endif -%}"
)


# --- vocabulary ---------------------------------------------------------------------------------

# Common English words and words of shops, the most frequent first, in the place of a corpus.
_WORDS = """
the of and to in a is that for it as was with be by on not he his but at are this have from or had
an they which one you were all her she there would their we him been has when who will no more if
out so up said what its about than into them can only other time new some could these two may
first then do any like my now over such our man me even most made after also did many off before
must well back through years much where your way down should because long each just state those
people too mister how little good world make very year still see own work men day get here old
life both between being under three never know same last another while us might great go come
since against right came take used himself few house use place during without again home around
small however found part once general high upon school every does got left number course war until
always away something fact though water less public put think almost hand enough far took head yet
better set told nothing night end why called eyes find going look asked later knew point next
program city product brand color colour size material type model capacity weight width length
height pack flavor scent gender style pattern shape feature features design series edition power
voltage speed black white blue red green silver gold brown gray grey pink purple orange yellow
beige navy clear leather cotton steel stainless plastic rubber wood wooden glass metal aluminum
ceramic polyester nylon wool silk canvas denim suede mesh silicone bamboo marble copper brass
fabric foam paper shoe shoes sneaker sneakers boot boots sandal sandals shirt pants jacket dress
skirt socks hat watch bag backpack wallet belt glasses ring necklace bracelet earrings phone case
cable charger battery camera lens printer toner ink cartridge keyboard mouse monitor laptop tablet
speaker headphones earbuds microphone adapter screen protector cover mount stand holder light lamp
bulb coffee tea sugar salt pepper oil sauce snack candy chocolate vanilla mint lemon strawberry
organic natural fresh roast ground bean beans ounce ounces inch inches pound pounds gram grams
liter watt watts volt volts count piece pieces box bottle jar pouch kit tool tools drill saw blade
screw bolt nut wrench hammer tape glue paint brush filter hose pump valve pipe motor engine brake
wheel tire mens womens kids boys girls baby adult unisex large medium extra slim classic premium
professional portable wireless waterproof durable lightweight adjustable rechargeable replacement
compatible universal original genuine vintage modern outdoor indoor kitchen bathroom bedroom
office garden travel sport sports running hiking camping fishing fitness yoga cleaning storage
organizer document documents attributes example answer null true false name value values price
description women support sole insole arch bluetooth laser distance measure backlit display feet
foot remove pocket zipper zip hood warm dry winter summer spring autumn walk wear keep comfort
comfortable fit soft hard strong heavy thick thin wide narrow tall short round square flat sharp
smooth bright dark hot cold cool safe easy quick fast slow quiet loud simple perfect best ideal
quality control button switch handle lock key remote sensor digital analog smart connect
connection network internet memory drive disk card reader video audio sound music game player
console controller toy doll puzzle book pen pencil marker notebook gift party wedding christmas
holiday birthday flower plant seed tree grass animal dog cat pet fish bird horse food meat chicken
beef rice bread cake cookie fruit apple banana grape cherry berry almond cream milk cheese butter
juice wine beer drink cup mug plate bowl spoon fork pan pot oven stove grill heater fan air clean
wash cut mix cook bake build repair install replace protect carry hold hang fold open close turn
move run play help need want include provide allow offer create develop produce company service
system process result level order form group member area line side front top bottom inner outer
upper lower middle center edge corner surface layer coating finish polish texture shade tone
weather rain snow wind sun fire earth stone rock sand sea lake river mountain forest field road
street bridge building door window wall floor ceiling roof room bed bath sink mirror frame picture
art movie story letter word page list table figure chart report record date month week hour minute
second morning evening today tomorrow family mother father child friend person doctor teacher
student nike adidas sony samsung canon bosch dell philips panasonic levi puma casio garmin
logitech intel amazon google microsoft decker dewalt makita aid nestle pepsi coca cola johnson
gillette colgate shampoo conditioner lotion soap serum mask powder spray gel vitamin protein
supplement capsule capsules formula skin hair face body care health beauty fragrance perfume
toilet toothpaste towel pillow blanket sheet curtain rug chair desk shelf cabinet drawer mattress
sofa ing tion ation ness ment able ible ful ous ive ent ant ence ance ity ial ical ally ized izing
inter trans super micro multi semi anti auto photo electro thermo hydro
"""

# Syllables of all other words; a token has one or two of them.
_ONSETS = (
    " b bl br c ch cl cr d dr f fl fr g gl gr h j k l m n p ph pl pr qu r s sc sh sk sl sm sn sp"
    " st str sw t th tr v w wh z"
)
_VOWELS = "a e i o u y ea ee ai oo ou"
_CODAS = " b c ck d f g k l ll m n nd ng nt p r rd rt s ss st t th ve x"

# How often a word comes with what stands before it: nearly always a space; titles have capitals.
_FORMS = ((" {}", str, 6), (" {}", str.capitalize, 4), ("{}", str, 1), ("{}", str.capitalize, 2))

_ENDINGS = {"": 1, "s": 4, "ed": 12, "er": 12, "ing": 12, "ly": 20, "y": 20}  # one in so many

_JSON_PIECES = [
    *('{"', '":', ' "', '",', '"}', '"},', "},", '":{"', '"]', ' ["', "[]", "{}", ' {"', '":"'),
    *(
        " null",
        " true",
        " false",
        "\n\n",
        "'s",
        " -",
        ", ",
        ". ",
        "--",
        " (",
        ").",
        "),",
        " &",
        " |",
    ),
]

_CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")


@dataclass
class Vocabulary:
    """The vocabulary of a GGUF: its keys under ``tokenizer.``, with their types."""

    n_tokens: int
    fields: list[tuple[str, object, GGUFValueType, GGUFValueType | None]] = field(
        default_factory=list
    )

    def write(self, writer: GGUFWriter) -> None:
        """Add every key to a file."""
        for key, value, value_type, item_type in self.fields:
            writer.add_key_value(key, value, value_type, item_type)


def byte_characters() -> dict[int, str]:
    """GPT-2's printable stand-in for every byte."""
    printable = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    characters = {byte: chr(byte) for byte in printable}
    others = (byte for byte in range(256) if byte not in characters)
    return characters | {byte: chr(256 + n) for n, byte in enumerate(others)}


def train_merges(counts: dict[str, int], n_merges: int) -> list[tuple[str, str]]:
    """Byte-pair encoding: again and again the most frequent pair of tokens becomes one token."""
    words = [list(word) for word in counts]
    weights = list(counts.values())
    totals: Counter[tuple[str, str]] = Counter()
    places: dict[tuple[str, str], set[int]] = defaultdict(set)
    for index, word in enumerate(words):
        for pair in itertools.pairwise(word):
            totals[pair] += weights[index]
            places[pair].add(index)
    heap = [(-total, pair) for pair, total in totals.items()]
    heapq.heapify(heap)
    merges: list[tuple[str, str]] = []
    while heap and len(merges) < n_merges:
        total, pair = heapq.heappop(heap)
        if totals[pair] != -total:
            continue  # its count has changed since it was queued
        if total == 0:
            break
        merges.append(pair)
        changed = set()
        for index in places.pop(pair):
            old = words[index]
            new = _merged(old, pair)
            for before in itertools.pairwise(old):
                totals[before] -= weights[index]
                changed.add(before)
            for after in itertools.pairwise(new):
                totals[after] += weights[index]
                places[after].add(index)
                changed.add(after)
            words[index] = new
        for other in changed:
            heapq.heappush(heap, (-totals[other], other))
    return merges


def _merged(word: list[str], pair: tuple[str, str]) -> list[str]:
    merged: list[str] = []
    index = 0
    while index < len(word):
        if tuple(word[index : index + 2]) == pair:
            merged.append(word[index] + word[index + 1])
            index += 2
        else:
            merged.append(word[index])
            index += 1
    return merged


def synthetic_vocabulary(n_tokens: int) -> Vocabulary:
    """A byte-level BPE vocabulary that splits English as real ones do, padded with unused tokens.

    A text has about as many tokens as with Qwen's vocabulary, and the output matrix costs as much.
    """
    characters = byte_characters()

    def spelled(text: str) -> str:
        return "".join(characters[byte] for byte in text.encode())

    tokens = [characters[byte] for byte in range(256)]
    merges: list[str] = []
    known = set(tokens)

    def add(left: str, right: str) -> None:
        merges.append(f"{left} {right}")
        if left + right not in known:
            known.add(left + right)
            tokens.append(left + right)

    for piece in _JSON_PIECES:
        name = spelled(piece)
        for end in range(2, len(name) + 1):
            if name[:end] not in known:
                add(name[: end - 1], name[end - 1])
    counts: Counter[str] = Counter()
    for rank, word in enumerate(_WORDS.split()):
        for form, case, weight in _FORMS:
            for ending, share in _ENDINGS.items():
                counts[spelled(form.format(case(word + ending)))] += (
                    weight * 1_000_000 // (share * (rank + 20))
                )
    for parts in itertools.product(_ONSETS.split(" "), _VOWELS.split(), _CODAS.split(" ")):
        # Shorter syllables are far more frequent.
        syllable = "".join(parts)
        for form, case, weight in _FORMS:
            counts[spelled(form.format(case(syllable)))] += weight * 1000 // len(syllable) ** 2
    room = n_tokens - len(_CONTROL) - len(tokens)
    seen = set(merges)
    for left, right in train_merges(counts, max(room, 0)):
        if f"{left} {right}" not in seen:
            add(left, right)
    n_known = len(tokens) + len(_CONTROL)
    if n_known > n_tokens:
        raise ValueError(f"--vocab-size {n_tokens} is too small: {n_known} at the least")
    types = [TokenType.NORMAL] * len(tokens) + [TokenType.CONTROL] * len(_CONTROL)
    control = {name: len(tokens) + n for n, name in enumerate(_CONTROL)}
    tokens += _CONTROL

    string, array, number = GGUFValueType.STRING, GGUFValueType.ARRAY, GGUFValueType.UINT32
    vocabulary = Vocabulary(len(tokens))
    vocabulary.fields = [
        ("tokenizer.ggml.model", "gpt2", string, None),
        ("tokenizer.ggml.pre", "qwen2", string, None),
        ("tokenizer.ggml.tokens", tokens, array, string),
        ("tokenizer.ggml.token_type", [int(t) for t in types], array, GGUFValueType.INT32),
        ("tokenizer.ggml.merges", merges, array, string),
        ("tokenizer.ggml.eos_token_id", control["<|im_end|>"], number, None),
        ("tokenizer.ggml.padding_token_id", control["<|endoftext|>"], number, None),
        ("tokenizer.ggml.bos_token_id", control["<|endoftext|>"], number, None),
        ("tokenizer.ggml.add_bos_token", False, GGUFValueType.BOOL, None),
        ("tokenizer.chat_template", CHAT_TEMPLATE, string, None),
    ]
    return padded(vocabulary, n_tokens)


def vocabulary_of(path: Path) -> Vocabulary:
    """The vocabulary, special tokens and chat template of another GGUF."""
    reader = GGUFReader(path)
    vocabulary = Vocabulary(0)
    for key, stored in reader.fields.items():
        if key.startswith("tokenizer."):
            item_type = stored.types[-1] if stored.types[0] is GGUFValueType.ARRAY else None
            value = stored.contents()
            vocabulary.fields.append((key, value, stored.types[0], item_type))
            if key == "tokenizer.ggml.tokens":
                vocabulary.n_tokens = len(value)
    if not vocabulary.n_tokens:
        raise ValueError(f"{path} has no vocabulary")
    return vocabulary


def padded(vocabulary: Vocabulary, n_tokens: int) -> Vocabulary:
    """The same vocabulary with unused tokens at its end."""
    n_more = n_tokens - vocabulary.n_tokens
    if n_more < 0:
        raise ValueError(
            f"--vocab-size {n_tokens} is less than the vocabulary's {vocabulary.n_tokens} tokens"
        )
    filling: dict[str, list[object]] = {
        "tokenizer.ggml.tokens": [f"[unused{n}]" for n in range(n_more)],
        "tokenizer.ggml.token_type": [int(TokenType.UNUSED)] * n_more,
        "tokenizer.ggml.scores": [-1000.0] * n_more,
    }
    fields = [
        (key, [*value, *filling[key]] if key in filling else value, value_type, item_type)
        for key, value, value_type, item_type in vocabulary.fields
    ]
    return Vocabulary(n_tokens, fields)


# --- weights ------------------------------------------------------------------------------------

_CHUNK_VALUES = 1 << 20  # small enough for a core's cache to help


def tensor_shapes(shape: Shape, n_vocab: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The names and shapes of the tensors in the order of the file; rows are outputs."""
    inner, inner_kv = shape.n_head * shape.head_dim, shape.n_head_kv * shape.head_dim
    yield "token_embd.weight", (n_vocab, shape.n_embd)
    for layer in range(shape.n_layer):
        block = f"blk.{layer}."
        yield f"{block}attn_norm.weight", (shape.n_embd,)
        yield f"{block}attn_q.weight", (inner, shape.n_embd)
        yield f"{block}attn_k.weight", (inner_kv, shape.n_embd)
        yield f"{block}attn_v.weight", (inner_kv, shape.n_embd)
        yield f"{block}attn_q_norm.weight", (shape.head_dim,)
        yield f"{block}attn_k_norm.weight", (shape.head_dim,)
        yield f"{block}attn_output.weight", (shape.n_embd, inner)
        yield f"{block}ffn_norm.weight", (shape.n_embd,)
        yield f"{block}ffn_gate.weight", (shape.n_ff, shape.n_embd)
        yield f"{block}ffn_up.weight", (shape.n_ff, shape.n_embd)
        yield f"{block}ffn_down.weight", (shape.n_embd, shape.n_ff)
    yield "output_norm.weight", (shape.n_embd,)
    if not shape.tied:
        yield "output.weight", (n_vocab, shape.n_embd)


def _fill_f16(random: np.random.Generator, scale: float, out: np.ndarray) -> None:
    values = random.standard_normal(out.size // 2, np.float32)
    np.multiply(values, scale, out=values)
    out.view(np.float16)[:] = values


def _fill_q8_0(random: np.random.Generator, scale: float, out: np.ndarray) -> None:
    """Fill blocks of 32: a half-precision scale, then 32 signed bytes."""
    blocks = out.reshape(-1, 34)
    values = random.standard_normal((len(blocks), 32), np.float32)
    largest = np.maximum(values.max(axis=1), -values.min(axis=1))
    blocks[:, :2].view(np.float16)[:, 0] = largest * (scale / 127)
    values *= (127 / largest)[:, None]
    np.rint(values, out=values)
    blocks[:, 2:].view(np.int8)[:] = values


def random_matrix(
    shape: tuple[int, ...],
    ggml_type: GGMLQuantizationType,
    seed: np.random.SeedSequence,
    pool: ThreadPoolExecutor,
) -> np.ndarray:
    """The bytes of a matrix of normal noise, scaled so that it keeps the size of its input."""
    values_per_block, bytes_per_block = gguf.GGML_QUANT_SIZES[ggml_type]
    fill = _fill_q8_0 if ggml_type is GGMLQuantizationType.Q8_0 else _fill_f16
    scale = shape[-1] ** -0.5
    data = np.empty(gguf.quant_shape_to_byte_shape(shape, ggml_type), np.uint8)
    step = _CHUNK_VALUES // values_per_block * bytes_per_block
    flat = data.reshape(-1)
    parts = [flat[start : start + step] for start in range(0, len(flat), step)]
    # Each part has a generator of its own, so the number of threads does not change the numbers.
    generators = (np.random.Generator(np.random.SFC64(child)) for child in seed.spawn(len(parts)))
    list(pool.map(lambda part: fill(part[0], scale, part[1]), zip(generators, parts, strict=True)))
    return data


def write_model(
    path: Path,
    name: str,
    shape: Shape,
    vocabulary: Vocabulary,
    ggml_type: GGMLQuantizationType,
    seed: int,
    n_threads: int,
) -> None:
    """Write one tensor after another, so that only one is in memory."""
    writer = GGUFWriter(path, "qwen3")
    writer.add_name(f"{name} shape, random weights")
    writer.add_block_count(shape.n_layer)
    writer.add_context_length(shape.n_ctx)
    writer.add_embedding_length(shape.n_embd)
    writer.add_feed_forward_length(shape.n_ff)
    writer.add_head_count(shape.n_head)
    writer.add_head_count_kv(shape.n_head_kv)
    writer.add_key_length(shape.head_dim)
    writer.add_value_length(shape.head_dim)
    writer.add_rope_freq_base(shape.rope_base)
    writer.add_layer_norm_rms_eps(shape.rms_eps)
    writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
    is_f16 = ggml_type is GGMLQuantizationType.F16
    writer.add_file_type(
        gguf.LlamaFileType.MOSTLY_F16 if is_f16 else gguf.LlamaFileType.MOSTLY_Q8_0
    )
    vocabulary.write(writer)
    shapes = list(tensor_shapes(shape, vocabulary.n_tokens))
    for tensor, dimensions in shapes:
        if len(dimensions) == 1:
            n_bytes = 4 * dimensions[0]
            writer.add_tensor_info(tensor, dimensions, np.dtype(np.float32), n_bytes)
        else:
            byte_shape = gguf.quant_shape_to_byte_shape(dimensions, ggml_type)
            n_bytes = int(np.prod(byte_shape))
            byte = np.dtype(np.uint8)
            writer.add_tensor_info(tensor, byte_shape, byte, n_bytes, raw_dtype=ggml_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    seeds = np.random.SeedSequence(seed).spawn(len(shapes))
    with ThreadPoolExecutor(n_threads) as pool:
        for (_, dimensions), child in zip(shapes, seeds, strict=True):
            if len(dimensions) == 1:
                writer.write_tensor_data(np.ones(dimensions, np.float32))
            else:
                writer.write_tensor_data(random_matrix(dimensions, ggml_type, child, pool))
    writer.close()


def quantise(source: Path, target: Path, type_name: str, n_threads: int) -> None:
    """Let llama.cpp quantise a file, with the mix of types that it chooses."""
    import llama_cpp

    params = llama_cpp.llama_model_quantize_default_params()
    params.nthread = n_threads
    name = _QUANTISED_BY_LLAMA_CPP.get(type_name, f"LLAMA_FTYPE_MOSTLY_{type_name}")
    params.ftype = getattr(llama_cpp, name)
    params.allow_requantize = True
    code = llama_cpp.llama_model_quantize(str(source).encode(), str(target).encode(), params)
    if code != 0:
        raise RuntimeError(f"llama.cpp could not quantise {source} to {type_name}")


def check(path: Path, n_threads: int) -> str:
    """Load the file, decode a few tokens, and return how its vocabulary splits a title."""
    import ctypes

    import llama_cpp

    llama_cpp.llama_backend_init()
    model_params = llama_cpp.llama_model_default_params()
    model_params.use_extra_bufts = False  # no AMX, which crashes on some CPUs
    model_params.n_gpu_layers = 0
    model = llama_cpp.llama_model_load_from_file(str(path).encode(), model_params)
    if not model:
        raise RuntimeError(f"llama.cpp cannot load {path}")
    params = llama_cpp.llama_context_default_params()
    params.n_ctx = 256
    params.n_threads = params.n_threads_batch = n_threads
    context = llama_cpp.llama_init_from_model(model, params)
    vocab = llama_cpp.llama_model_get_vocab(model)
    text = b"Women's Waterproof Hiking Boots, Brown Leather, 9.5 M US, with Arch Support Insoles"
    tokens = (llama_cpp.llama_token * len(text))()
    n = llama_cpp.llama_tokenize(vocab, text, len(text), tokens, len(text), False, False)
    code = llama_cpp.llama_decode(context, llama_cpp.llama_batch_get_one(tokens, n))
    if code != 0:
        raise RuntimeError(f"llama_decode returned {code}")
    n_vocab = llama_cpp.llama_vocab_n_tokens(vocab)
    row = np.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(context, -1), (n_vocab,))
    if not np.isfinite(row).all():
        raise RuntimeError("the logits are not finite")
    buffer = ctypes.create_string_buffer(256)
    llama_cpp.llama_model_desc(model, buffer, len(buffer))
    spread = float(row.std())
    llama_cpp.llama_free(context)
    llama_cpp.llama_model_free(model)
    return (
        f"{buffer.value.decode()}, {n_vocab} tokens; {len(text)} characters of a title are {n}"
        f" tokens; standard deviation of the logits {spread:.2f}"
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=Path, help="the GGUF to write")
    parser.add_argument("--shape", choices=SHAPES, default="qwen3-0.6b")
    parser.add_argument("--type", choices=TYPES, default="Q8_0")
    parser.add_argument(
        "--vocab", type=Path, metavar="GGUF", help="take the vocabulary of this file"
    )
    parser.add_argument(
        "--vocab-size",
        type=int,
        help="tokens, the last ones unused (default: those of --vocab, else those of the shape)",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--check", action="store_true", help="load the file and decode a title")
    options = parser.parse_args(arguments)

    start = time.perf_counter()
    shape: Shape = SHAPES[options.shape]
    output: Path = options.output
    try:
        if options.vocab:
            vocabulary = vocabulary_of(options.vocab)
            if options.vocab_size:
                vocabulary = padded(vocabulary, options.vocab_size)
        else:
            vocabulary = synthetic_vocabulary(options.vocab_size or shape.n_vocab)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=output.parent, prefix=f".{output.name}-") as scratch:
        # Beside the output, so that no unfinished file ever has its name.
        written = Path(scratch) / "written.gguf"
        direct = GGMLQuantizationType.F16 if options.type == "F16" else GGMLQuantizationType.Q8_0
        write_model(
            written, options.shape, shape, vocabulary, direct, options.seed, options.threads
        )
        if options.type in _QUANTISED_BY_LLAMA_CPP:
            # From Q8_0, which takes half the disk of F16: random weights lose nothing by it.
            mixed = Path(scratch) / "quantised.gguf"
            quantise(written, mixed, options.type, options.threads)
            written = mixed
        written.replace(output)
    seconds = time.perf_counter() - start
    print(f"{output}: {output.stat().st_size / 2**20:.0f} MiB in {seconds:.0f} s", file=sys.stderr)
    if options.check:
        print(check(output, options.threads), file=sys.stderr)


if __name__ == "__main__":
    main()
