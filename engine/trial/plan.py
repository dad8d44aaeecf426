"""The file that describes a trial, in TOML or JSON.

    name = "Capitals"
    max_tokens = 60                     # fields of SamplingParams, for all variants
    prompts = ["capitals.csv"]          # files beside this one, or tables as below
    checks = [{ contains = "{expected}", ignore_case = true }]

    [[variants]]                        # the others are compared with the first
    name = "8 bits"
    model = "models/small-8bit"         # a folder, a GGUF file or a hub id; the Guide without

    [[variants]]
    name = "4 bits, brief"
    model = "models/small-4bit"
    adapter = "adapters/mine"
    kv_bits = 8
    system = "Answer in one word."
    reasoning = false
    temperature = 0.7                   # and any field of SamplingParams
    seed = 3

A prompt is a text, or {prompt or messages, id, system, expected, checks}; its own checks come after
those of the trial. A file of prompts is .txt (one a line), .csv (columns prompt, id, expected,
system) or .jsonl (such tables). Whatever a variant does not say is taken from the top: `model`,
`adapter`, `kv_bits`, `system`, `reasoning`, sampling; then from what the model's maker recommends.
The seed is 0 where none is given, and `reproducible` (true) steps each answer alone, so that a
trial says the same twice; false is faster.

A check is one of these, and an answer passes when it passes all of its checks. `{expected}` in a
text is the prompt's own, `not = true` turns the check around, and `ignore_case` is for the first
three:

    {contains = "Paris"}                or a list, of which all must be there
    {equals = "Paris"}                  blanks at the ends aside
    {regex = "^[A-Z]"}                  Python's, found anywhere; five seconds of processor time
    {json_schema = {type = "object"}}   the answer, or the one block of code in it, is such JSON
    {python = "len(answer) < 80"}       an expression, or lines that set `passed`, of answer, prompt
                                        and expected; without files and network, for 20 seconds
    {judge = "It is polite."}           a model says whether this is true, asked twice, with yes and
                                        no in both orders; `model` names it (the top's `judge`, else
                                        the Guide)
    {judge = "…", against = "8 bits"}   it says of whose answer this is more true, in both orders
    {eye = true}                        a person says; in the window

Where a judge says another thing in the other order, the answer is undecided and counts nowhere.
"""

from __future__ import annotations

import csv
import difflib
import json
import tomllib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from engine.batch.run import lines
from engine.serve import json_input
from engine.serve.json_input import SAMPLING, sampling_params

MOST_CELLS = 100_000
QUICK = ("contains", "equals")
KINDS = (*QUICK, "regex", "json_schema", "python", "judge", "eye")
_OF_VARIANT = ("model", "adapter", "kv_bits", "system", "reasoning")
_OF_PROMPT = ("prompt", "messages", "id", "system", "expected", "checks")
_OF_TRIAL = ("name", "prompts", "variants", "checks", "reproducible", "judge")


class PlanError(ValueError):
    """A trial's file cannot be used. The message says where and why."""


class Check(Struct, frozen=True):
    """What an answer has to be."""

    kind: str  # one of `KINDS`
    value: Any  # a text; of contains a tuple of them, of json_schema a schema
    ignore_case: bool = False
    turned: bool = False  # it passes where it would not
    model: str = ""  # of a judge; "" for the trial's
    against: str = ""  # the variant whose answer a judge compares with; "" for none

    @property
    def words(self) -> str:
        """It in one line, as the file has it."""
        value = self.value
        if self.kind == "contains" and len(value) == 1:
            value = value[0]
        value = value if isinstance(value, str) else json.dumps(value)
        more = [
            *(["any case"] * self.ignore_case),
            *([f"against {self.against}"] * bool(self.against)),
        ]
        more += [f"by {self.model}"] * bool(self.model)
        said = f"{'not ' * self.turned}{self.kind}{f' {value}' * (self.kind != 'eye')}"
        return f"{said} ({', '.join(more)})" if more else said

    def told(self) -> dict[str, Any]:
        """It as the file has it."""
        value = list(self.value) if self.kind == "contains" else self.value
        known = {self.kind: value, "ignore_case": self.ignore_case, "not": self.turned}
        return _given({**known, "model": self.model, "against": self.against}, self.kind)


def _given(told: dict[str, Any], *needed: str) -> dict[str, Any]:
    """Without what says nothing."""
    return {k: v for k, v in told.items() if v or k in needed}


class Prompt(Struct, frozen=True):
    """What is asked of every variant."""

    id: str
    # a text or a list of messages, whose form is checked where it is answered
    asked: str | list[Any]
    system: str | None = None
    expected: str = ""
    checks: tuple[Check, ...] = ()

    @property
    def text(self) -> str:
        """The last thing that is asked, for people and judges."""
        if isinstance(self.asked, str):
            return self.asked
        last = self.asked[-1] if self.asked else {}
        content = last.get("content") if isinstance(last, dict) else last
        return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)

    def system_of(self, variant: Variant) -> str | None:
        """The instructions that it is asked with: its own before the variant's."""
        return variant.system if self.system is None else self.system

    def told(self) -> dict[str, Any]:
        """It as the file has it."""
        asked = {"prompt" if isinstance(self.asked, str) else "messages": self.asked}
        told = _given({"id": self.id, **asked, "expected": self.expected})
        told |= {"system": self.system} if self.system is not None else {}
        return told | ({"checks": [c.told() for c in self.checks]} if self.checks else {})


class Variant(Struct, frozen=True):
    """One column. `sampling`: fields of `SamplingParams` that were given."""

    name: str
    model: str
    adapter: str | None = None
    kv_bits: int | None = None
    system: str | None = None
    reasoning: bool | None = None
    sampling: Mapping[str, Any] = field(default_factory=dict)

    def __hash__(self) -> int:  # `sampling` has none
        return hash(self.name)

    def told(self) -> dict[str, Any]:
        """It as the file has it, whatever stands at the file's top."""
        own = {k: v for k in _OF_VARIANT if (v := getattr(self, k)) is not None}
        return {"name": self.name, **own, **self.sampling}


class Trial(Struct, frozen=True):
    """Everything that was asked for. `judge`: the model of judges that name none."""

    name: str
    prompts: tuple[Prompt, ...]
    variants: tuple[Variant, ...]
    checks: tuple[Check, ...] = ()
    reproducible: bool = True
    judge: str = ""

    def checks_of(self, prompt: Prompt) -> tuple[Check, ...]:
        return (*self.checks, *prompt.checks)

    def cells(self) -> Iterator[tuple[Variant, Prompt]]:
        for variant in self.variants:
            for prompt in self.prompts:
                yield variant, prompt

    def told(self) -> dict[str, Any]:
        """A file that says the same, from wherever it is read; `parsed` takes it."""
        told: dict[str, Any] = {"name": self.name, "judge": self.judge}
        told["prompts"] = [prompt.told() for prompt in self.prompts]
        told["variants"] = [variant.told() for variant in self.variants]
        told["checks"] = [check.told() for check in self.checks]
        return told | {"reproducible": self.reproducible}


def read(path: Path, guide: str) -> Trial:
    """The trial that a file describes; `guide` is the model where none is named.

    Raises:
        PlanError: says what is wrong with it.
        OSError: it, or a file of prompts, cannot be read.
    """
    raw = path.read_bytes()
    try:
        if path.suffix.lower() == ".json":
            told = json_input.decode(raw)
        else:
            told = tomllib.loads(raw.decode("utf-8"))
            json_input.repaired(told)
    except (ValueError, RecursionError) as error:
        raise PlanError(f"{path.name} cannot be read: {error}") from None
    if isinstance(told.get("trial"), dict):  # in a trial's table.json
        told = told["trial"]
    return parsed(told, guide, path.parent)


def parsed(told: Mapping[str, Any], guide: str, folder: Path | None = None) -> Trial:
    """The trial that these fields describe; files of prompts are looked for in `folder`.

    Raises:
        PlanError: says what is wrong with it.
        OSError: a file of prompts cannot be read.
    """
    _known(told, (*_OF_TRIAL, *_OF_VARIANT, *SAMPLING), "the trial")
    top = {k: v for k, v in told.items() if k in (*_OF_VARIANT, *SAMPLING)}
    variants = [
        _variant(entry, top, guide, f"variant {n}", folder)
        for n, entry in enumerate(_list(told.get("variants", [{}]), "variants"), 1)
    ]
    names = _once([v.name for v in variants], "variants")
    prompts: list[Prompt] = []
    for entry in _list(told.get("prompts", []), "prompts"):
        if isinstance(entry, str) and folder is not None and _is_file(entry):
            prompts += _of_file(folder / entry, names, folder)
        else:
            prompts.append(_prompt(entry, len(prompts) + 1, names, "prompt"))
    if not prompts or not variants:
        raise PlanError("A trial needs prompts and variants.")
    _once([p.id for p in prompts], "prompts")
    if len(prompts) * len(variants) > MOST_CELLS:
        raise PlanError(f"A trial can have {MOST_CELLS:,} answers at most.")
    reproducible = _typed(told, "reproducible", bool, "the trial", True)
    judge = _place(_typed(told, "judge", str, "the trial", ""), folder)
    checks = _checks(told.get("checks", []), names, "the trial")
    name = _typed(told, "name", str, "the trial", "")
    return Trial(name, tuple(prompts), tuple(variants), checks, reproducible, judge or guide)


def _is_file(entry: str) -> bool:
    return "\n" not in entry and Path(entry).suffix.lower() in (".txt", ".csv", ".jsonl")


def _place(ref: str, folder: Path | None) -> str:
    """A model's folder beside the trial's file; anything else is as it was given."""
    beside = folder / ref if ref and folder is not None else None
    return str(beside) if beside is not None and beside.exists() else ref


def _variant(
    entry: Any, top: dict[str, Any], guide: str, where: str, folder: Path | None
) -> Variant:
    if not isinstance(entry, dict):
        raise PlanError(f"{where} must be a table, not {entry!r}")
    _known(entry, ("name", *_OF_VARIANT, *SAMPLING), where)
    given = {**top, **entry}
    name = _typed(given, "name", str, where, "")
    where = f"{where} ({name})" if name else where
    sampling = {k: v for k, v in given.items() if k in SAMPLING}
    try:
        sampling_params(sampling, {})
    except ValueError as error:
        raise PlanError(f"{where}: {error}") from None
    kv_bits = _typed(given, "kv_bits", int, where, None)
    if kv_bits not in (None, 4, 8):
        raise PlanError(f"{where}: kv_bits must be 8 or 4, not {kv_bits!r}")
    model = _place(_typed(given, "model", str, where, guide) or guide, folder)
    adapter = _typed(given, "adapter", str, where, None)
    said = ", ".join([Path(model).name, *(f"{k} {v}" for k, v in entry.items() if k != "model")])
    return Variant(
        name or said,
        model,
        _place(adapter, folder) if adapter else None,
        kv_bits,
        _typed(given, "system", str, where, None),
        _typed(given, "reasoning", bool, where, None),
        sampling,
    )


def prompts_of(path: Path) -> tuple[Prompt, ...]:
    """The prompts of a file: of a trial, or as a trial names it. They may be asked elsewhere.

    Raises:
        PlanError: says what is wrong with it.
        OSError: it cannot be read.
    """
    if path.suffix.lower() in (".toml", ".json"):
        return read(path, "").prompts
    return tuple(_of_file(path, (), path.parent))


def _of_file(path: Path, names: Collection[str], folder: Path) -> list[Prompt]:
    try:
        if path.suffix.lower() == ".jsonl":
            entries: list[Any] = [json_input.decode(raw) for _, raw in lines(path)]
        elif path.suffix.lower() == ".csv":
            with path.open(encoding="utf-8-sig", newline="") as file:
                rows = csv.DictReader(file, strict=True)
                entries = [{k: v for k, v in row.items() if k and v} for row in rows]
        else:
            text = path.read_text(encoding="utf-8-sig")
            entries = [line for line in text.split("\n") if line.strip()]
    except (ValueError, csv.Error) as error:
        raise PlanError(f"{path.relative_to(folder)} cannot be read: {error}") from None
    where = f"{path.name}, prompt"
    return [_prompt(e, n, names, where, f"{path.stem} {n}") for n, e in enumerate(entries, 1)]


def _prompt(entry: Any, number: int, names: Collection[str], where: str, name: str = "") -> Prompt:
    where = f"{where} {number}"
    if isinstance(entry, str):
        entry = {"prompt": entry}
    if not isinstance(entry, dict):
        raise PlanError(f"{where} must be a text or a table, not {entry!r}")
    _known(entry, _OF_PROMPT, where)
    asked = entry.get("prompt", entry.get("messages"))
    good = isinstance(asked, str) if "prompt" in entry else isinstance(asked, list)
    if ("prompt" in entry) == ("messages" in entry) or not good or not asked:
        raise PlanError(f'{where}: give either "prompt", a text, or "messages", a list')
    return Prompt(
        str(entry.get("id", name or number)),
        asked,
        _typed(entry, "system", str, where, None),
        _typed(entry, "expected", str, where, ""),
        _checks(entry.get("checks", []), names, where),
    )


def _checks(told: Any, names: Collection[str], where: str) -> tuple[Check, ...]:
    return tuple(check_of(entry, names, where) for entry in _list(told, f"checks of {where}"))


def check_of(entry: Any, names: Collection[str], where: str = "check") -> Check:
    """A check as the file has it; `names`: of the variants.

    Raises:
        PlanError: says what is wrong with it.
    """
    if not isinstance(entry, dict) or sum(kind in entry for kind in KINDS) != 1:
        raise PlanError(f"a check of {where} must be a table with one of {', '.join(KINDS)}")
    kind = next(kind for kind in KINDS if kind in entry)
    value = entry[kind]
    options = {"judge": ("model", "against")}.get(kind, ())
    cased = ("ignore_case",) if kind in (*QUICK, "regex") else ()
    _known(entry, (kind, "not", *cased, *options), f"a check of {where}")
    if kind == "contains":
        value = (value,) if isinstance(value, str) else tuple(_list(value, kind))
        good = bool(value) and all(isinstance(v, str) and v for v in value)
    elif kind == "json_schema":
        good = isinstance(value, (dict, bool))
    elif kind == "eye":
        good = value is True
    else:
        good = isinstance(value, str) and bool(value.strip())
    if not good:
        raise PlanError(f"a check of {where}: {kind} cannot be {value!r}")
    against = _typed(entry, "against", str, where, "")
    if against and against not in names:
        raise PlanError(f"a check of {where}: there is no variant {against!r}")
    return Check(
        kind,
        value,
        _typed(entry, "ignore_case", bool, where, False),
        _typed(entry, "not", bool, where, False),
        _typed(entry, "model", str, where, ""),
        against,
    )


def _known(entry: Mapping[str, Any], fields: Collection[str], where: str) -> None:
    for key in entry:
        if key not in fields:
            near = difflib.get_close_matches(key, fields, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise PlanError(f"{where} has no field {key!r}{hint}")


def _list(value: Any, what: str) -> list[Any]:
    if isinstance(value, (str, dict)):
        return [value]
    if not isinstance(value, list):
        raise PlanError(f"{what} must be a list, not {value!r}")
    return value


def _typed(entry: Mapping[str, Any], key: str, kind: type, where: str, default: Any) -> Any:
    value = entry.get(key)
    if value is None:
        return default
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise PlanError(f"{where}: {key} cannot be {value!r}")
    return value


def _once(names: list[str], what: str) -> list[str]:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise PlanError(f"Two {what} are called {twice!r}: give them names of their own.")
    return names
