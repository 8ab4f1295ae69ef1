"""A model that gives the right answers, in the tokens of its own tokenizer for whole JSON.

Its script says what to write after each key: ``outdoor"}`` as a model would write it whose
vocabulary may have ``"}`` in one token. At each position, the next token of the whole text's own
tokens has a probability near one. If the text so far has other tokens, it continues with
those of the rest.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter

from hpd._core import testing
from hpd.models.settings import engine_options
from hpd.options import Options
from hpd.pipeline.compiled_schema import CompiledSchema
from hpd.pipeline.pipeline import Pipeline
from hpd.pipeline.task import make_task
from hpd.prompt.questions import UNKNOWN, known_answer
from hpd.prompt.text import REASON_KEY, to_answer
from hpd.schema import Schemas
from hpd.schema.attributes import MAP_NAME

LOGIT = 20.0
"""Of the tokens that are written; those of other texts have 0."""
_OTHER_SPELLING = 11.0
"""Of the tokens with which the same text could be written, too, or one that differs in blanks: to a
model that must not write as it would, they are likelier than all others."""

_BLANKS = b" \t\r\n"
_LENGTHS = range(1, 17)  # of tokens, in bytes
_ANCHOR = "\x01"
"""Stands before a text that is tokenized by itself, so that none begins it with a blank."""


@dataclass(frozen=True)
class Style:
    """How a model writes its JSON: what stands before a value, and what after it."""

    name: str
    before: str
    endings: tuple[str, ...]
    """Of several, each is as likely."""

    def lines(self, level):
        """What stands before each member of a whole answer, and after the last one."""
        if len(self.endings) > 1 or "\n" not in self.endings[0]:
            return "", ""
        return "\n" + "  " * level, "\n" + "  " * (level - 1)


_ENDINGS = {
    "brace": "}",
    "comma": ', "other": null}',
    "line": "\n}",
    "comma and line": ',\n  "other": null\n}',
}
ANY = Style("any", " ", tuple(_ENDINGS.values()))
STYLES = (
    *(Style(name, " ", (ending,)) for name, ending in _ENDINGS.items()),
    *(
        Style(f"{name}, no blank", "", (ending.replace(": ", ":").replace(", ", ","),))
        for name, ending in _ENDINGS.items()
    ),
    ANY,
)


@dataclass(frozen=True)
class Written:
    """A value that is not written as ``json.dumps`` does, such as 17.90."""

    value: object
    text: str


@dataclass(frozen=True)
class ScriptedAnswer:
    """What a model answers to a document, and how."""

    answer: Mapping
    style: Style
    hesitates: bool = False
    """Whether it writes null for a required value until it is asked again."""
    doubts: Mapping = field(default_factory=dict)
    """Other values that are twice as likely by a row's name alone, by their paths."""


def plain(answer):
    """An answer with the values of those that are written otherwise."""
    if isinstance(answer, Written):
        return answer.value
    if isinstance(answer, Mapping):
        return {name: plain(own) for name, own in answer.items()}
    return [plain(own) for own in answer] if isinstance(answer, list) else answer


def written(answer, style, level=1):
    """An answer, or a part of one, as a model writes it."""
    if isinstance(answer, Written):
        return answer.text
    if isinstance(answer, Mapping):
        marks = "{}"
        members = [
            f"{written(name, style)}:{style.before}{written(own, style, level + 1)}"
            for name, own in answer.items()
        ]
    elif isinstance(answer, list):
        marks, members = "[]", [written(own, style, level + 1) for own in answer]
    else:
        return json.dumps(answer, ensure_ascii=False)
    if not members:
        return marks
    line, last_line = style.lines(level)
    comma = f",{line or style.before}"
    return f"{marks[0]}{line}{comma.join(members)}{last_line}{marks[1]}"


class _Text:
    """One text that the model would write after a prompt and a key."""

    def __init__(self, script, fragment, text):
        self._script = script
        self.raw = text.encode()
        self._from_end = {}
        """The tokens by the number of bytes from where they begin to the end."""
        self._take(fragment + text)

    def next_token(self, raw):
        """The token after what has been written; None if that is another text."""
        at = _consumed(raw, self.raw)
        if at is None:
            return None
        n_left = len(self.raw) - at
        if n_left == 0:
            return self._script.end
        if n_left not in self._from_end:
            rest = self.raw[at:]
            if rest[0] & 0xC0 == 0x80:
                return self._script.token_of(rest[:1])
            self._take(_ANCHOR + rest.decode())
        return self._from_end.get(n_left)

    def other_tokens(self, raw):
        """Other tokens with which the text could go on."""
        at = _consumed(raw, self.raw)
        if at is None:
            return []
        rest = self.raw[at:]
        texts = {text[:n] for text in (rest, rest.lstrip(_BLANKS), b" " + rest) for n in _LENGTHS}
        found = map(self._script.token_of, texts)
        return [token for token in found if token is not None]

    def _take(self, text):
        n_left = 0
        for token in reversed(self._script.model.tokenize(text)):
            n_left += len(self._script.piece(token))
            if n_left > len(self.raw):
                break
            if self._script.piece(token):
                self._from_end.setdefault(n_left, token)


def _consumed(raw, text):
    """The bytes of a text that another one has; blanks outside of strings do not count."""
    at, in_string, escaped = 0, False, False
    for n, byte in enumerate(raw):
        if not in_string:
            is_blank = byte in _BLANKS
            while not is_blank and at < len(text) and text[at] in _BLANKS:
                at += 1
            if is_blank and (at >= len(text) or text[at] not in _BLANKS):
                continue
        if at >= len(text):
            return None if raw[n:].strip(_BLANKS) else at
        if text[at] != byte and (in_string or byte not in _BLANKS):
            return None
        at += 1
        if escaped:
            escaped = False
        elif in_string and byte == ord("\\"):
            escaped = True
        elif byte == ord('"'):
            in_string = not in_string
    return at


class Script:
    """What a model writes after each prompt and key.

    Args:
        model: the native model.
    """

    def __init__(self, model):
        self.model = model
        self.end = next(t for t in range(model.n_vocab) if model.ends_generation(t))
        self._control = {token for token, *_ in model.control_tokens}
        self._pieces = {}
        self._by_piece = {}
        self._texts = {}

    def piece(self, token):
        """The bytes of a token."""
        if token not in self._pieces:
            self._pieces[token] = self.model.piece(token)
        return self._pieces[token]

    def token_of(self, raw):
        """The token whose text this is; None if there is none."""
        if not self._by_piece:
            self._by_piece = {self.model.piece(t): t for t in reversed(range(self.model.n_vocab))}
        return self._by_piece.get(raw)

    def expect(self, prompt, key, texts):
        """Have one of some texts written after a key."""
        self._texts[tuple(prompt), tuple(key)] = texts

    def forget(self):
        """Forget all texts."""
        self._texts.clear()

    def logits(self, prompt, key, tokens):
        """The logits of a row that are not 0, as ``testing.follow_script`` wants them."""
        place = tuple(prompt), tuple(key)
        texts = self._texts[place]
        if isinstance(texts[0], str):
            fragment = self._fragment([*prompt, *key])
            texts = self._texts[place] = [_Text(self, fragment, text) for text in texts]
        raw = b"".join(map(self.piece, tokens))
        weights, logits = {}, {}
        for text in texts:
            token = text.next_token(raw)
            if token is not None:
                weights[token] = weights.get(token, 0.0) + 1 / len(texts)
                logits |= dict.fromkeys(text.other_tokens(raw), _OTHER_SPELLING)
        if not weights:
            # Another text stands there: the sooner it ends the better.
            ends = [self.token_of(b'"'), self.token_of(b"}"), self.end]
            return {t: LOGIT - n for n, t in enumerate(ends) if t is not None}
        return logits | {token: LOGIT + math.log(weight) for token, weight in weights.items()}

    def _fragment(self, tokens):
        """The text after the last control token."""
        begin = len(tokens)
        while begin > 0 and tokens[begin - 1] not in self._control:
            begin -= 1
        return b"".join(map(self.piece, tokens[begin:])).decode()


def _is_new(question):
    """Whether an answer is required that was not asked for before."""
    leaf = question.leaf
    if leaf.array is not None or leaf.written is not None or leaf.attribute.name == MAP_NAME:
        return False  # No items are an answer.
    asked = leaf.union or leaf.attribute
    return asked.needs_value and not leaf.is_forced and REASON_KEY not in question.key


class ScriptedSchema(CompiledSchema):
    """A compiled schema that tells a script what the model writes after its keys.

    Args:
        script: gets the answers.
        known: its answer to each document, by text, as ``ScriptedAnswer``.
    """

    def __init__(self, *args, script, known, **settings):
        super().__init__(*args, **settings)
        self._script = script
        self._known_answer = known

    def request(self, texts, questions, *, first, keep_prompt):
        """The request for one wave of questions."""
        request = super().request(texts, questions, first=first, keep_prompt=keep_prompt)
        if not all(texts):
            return request  # An empty document only shows how long a prompt is.
        for own, question in zip(request.fields, questions, strict=True):
            scripted, leaf = self._known_answer(texts[question.document]), question.leaf
            value = known_answer(to_answer(self.schema, scripted.answer), leaf)
            if value is UNKNOWN or (scripted.hesitates and _is_new(question)):
                value = None
            values = [value]
            if leaf.path in scripted.doubts and not leaf.is_recheck:
                values += [scripted.doubts[leaf.path]] * 2
            self._expect(
                request.prompt,
                own.key,
                [written(each, scripted.style) for each in values],
                scripted.style,
            )
        return request

    def answer_request(self, texts):
        """The request for the whole answer."""
        request = super().answer_request(texts)
        if not all(texts):
            return request
        scripted = [self._known_answer(text) for text in texts]
        answers = [to_answer(self.schema, each.answer) for each in scripted]
        style = scripted[0].style
        whole = answers[0] if len(texts) == 1 else {str(n): a for n, a in enumerate(answers, 1)}
        # Whatever follows a whole answer is not read.
        whole_style = Style(style.name, style.before, ("",))
        self._expect(request.prompt, request.fields[0].key, [written(whole, style)], whole_style)
        return request

    def _expect(self, prompt, key, values, style):
        texts = [f"{style.before}{text}{ending}" for text in values for ending in style.endings]
        self._script.expect(prompt, key, texts)


def scripted_extractions(script, schemas, documents, known, **settings):
    """The extractions of some documents by a model that writes known answers.

    Args:
        script: of the model, which stays loaded.
        schemas: the schema, or one for each category.
        documents: what is read.
        known: its answer to each document, by text, as ``ScriptedAnswer``.
        settings: options.
    """
    options = Options(**({"n_threads": 1} | settings)).with_defaults()
    schemas = Schemas.of(schemas)
    task = make_task(schemas, options)
    native = engine_options(options)
    native.n_seq_max = 64  # Memory is taken for a row of logits for each.
    pipeline = Pipeline(
        script.model,
        task,
        native,
        compile_schema=partial(ScriptedSchema, script=script, known=known),
    )
    try:
        testing.follow_script(pipeline._engine, script.model, script.logits)
        return [extraction for _, extraction in sorted(pipeline.run(documents), key=itemgetter(0))]
    finally:
        pipeline.close()
        script.forget()
