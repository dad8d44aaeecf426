"""Everything of a trial answered and judged, into a file that is appended to.

Each answer is on the disk before the next one is counted, and is known by all that it depends on
(its prompt, its variant, the model's fingerprint). So an interruption, `kill -9` too, costs what
was going on at that moment, and a trial whose file has grown asks for what is new and nothing else.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.batch.requests import Request
from engine.batch.results import OutputError, append, lock
from engine.batch.run import Answer, Runner
from engine.engine import Engine
from engine.model.info import Model
from engine.params import SamplingParams
from engine.serve.json_input import sampling_params
from engine.trial.checks import Checker, Verdict
from engine.trial.judging import Case, checked, digest, judge
from engine.trial.plan import Prompt, Trial, Variant
from engine.trial.report import Cell, Table

ANSWERS = "answers.jsonl"
_BEGIN = b'{"key": '


class Records:
    """Records by their keys, in a file that is locked; each is on the disk when `put` returns.

    Raises:
        OutputError: the file holds something else, or another run is writing it.
        OSError: it cannot be read or written; also from `put`.
    """

    def __init__(self, path: Path) -> None:
        self._known: dict[str, dict[str, Any]] = {}
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        try:
            lock(self._file, path)
            whole = 0
            with path.open("rb") as file:
                for raw in file:
                    entry = _entry(raw)
                    if entry is None and raw.endswith(b"\n"):
                        raise OutputError(
                            f"{path} holds something else than answers of a trial. "
                            "Name another folder."
                        )
                    if entry is not None:
                        self._known[entry.pop("key")] = entry
                        whole += len(raw)
            os.ftruncate(self._file, whole)  # a torn end goes
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Records:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def get(self, key: str) -> dict[str, Any] | None:
        return self._known.get(key)

    def put(self, key: str, content: dict[str, Any]) -> None:
        text = json.dumps({"key": key, **content}, ensure_ascii=False)
        append(self._file, text.encode("utf-8", "backslashreplace") + b"\n")
        os.fsync(self._file)
        self._known[key] = content


def _entry(raw: bytes) -> dict[str, Any] | None:
    if not raw.startswith(_BEGIN) or not raw.endswith(b"\n"):
        return None
    try:
        entry = json.loads(raw)
    except ValueError:
        return None
    return entry if isinstance(entry.get("key"), str) else None


class Run:
    """One trial on its way.

    Args:
        records: where answers are kept, and found again.
        told: hears after each answer and each judging how many are done, and of how many.
        retry_failed: ask again what ended with an error.
    """

    def __init__(
        self,
        engine: Engine,
        trial: Trial,
        records: Records,
        concurrency: int = 8,
        told: Callable[[int, int], None] = lambda done, of: None,
        retry_failed: bool = False,
    ) -> None:
        self._engine, self._trial, self._records = engine, trial, records
        self._concurrency, self._told, self._retry = concurrency, told, retry_failed
        self._answers: dict[tuple[str, str], Mapping[str, Any]] = {}
        self._verdicts: dict[tuple[str, str, int], Verdict] = {}
        self._loaded: tuple[tuple[str, str], Model] | None = None
        self.fresh = 0  # answers that were asked for in this run
        judged = sum(
            len(trial.variants) * sum(c.kind == "judge" for c in trial.checks_of(prompt))
            for prompt in trial.prompts
        )
        self._of, self._done = len(trial.prompts) * len(trial.variants) + judged, 0

    def run(self) -> Table:
        """Answer and judge what is not yet; returns the table. Waits.

        Raises:
            EngineError: a model cannot be loaded, or the engine was stopped.
            OSError: the answers cannot be kept.
        """
        for (path, adapter), variants in self._by_model().items():
            self._answer(self._load(path, adapter), variants)
        with Checker() as checker:
            for cell in self._trial.cells():
                self._check(checker, *cell)
        for ref, asked in self._judgings().items():
            self._judge(self._load(ref), asked)
        if self._loaded is not None:
            self._engine.unload(self._loaded[1])
        return self.table()

    def _load(self, path: str, adapter: str = "") -> Model:
        """A model, in place of the one that was used last."""
        if self._loaded is not None and self._loaded[0] != (path, adapter):
            self._engine.unload(self._loaded[1])
        model = self._engine.load(path, adapter or None)
        self._loaded = (path, adapter), model
        return model

    def table(self) -> Table:
        """What there is by now."""
        trial = self._trial
        cells = {
            (variant.name, prompt.id): Cell(
                self._answers.get((variant.name, prompt.id), {}),
                {
                    check.words: self._verdicts.get((variant.name, prompt.id, n), Verdict(None))
                    for n, check in enumerate(trial.checks_of(prompt))
                    if check.against != variant.name
                },
            )
            for variant, prompt in trial.cells()
        }
        return Table(trial, cells)

    def _by_model(self) -> dict[tuple[str, str], list[Variant]]:
        found: dict[tuple[str, str], list[Variant]] = {}
        for variant in self._trial.variants:
            found.setdefault((variant.model, variant.adapter or ""), []).append(variant)
        return found

    # Answers.

    def _answer(self, model: Model, variants: list[Variant]) -> None:
        asked: list[tuple[str, Variant, Prompt]] = []

        def requests() -> Iterator[Request]:
            for variant in variants:
                params = sampling_params(variant.sampling, {"seed": 0, **model.defaults})
                for prompt in self._trial.prompts:
                    key = self._key(model, variant, prompt, params)
                    known = self._records.get(key)
                    if known is not None and not ("error" in known and self._retry):
                        self._keep(variant, prompt, known)
                        continue
                    asked.append((key, variant, prompt))
                    more = prompt.system_of(variant), variant.reasoning, False, variant.kv_bits
                    yield Request(len(asked), None, prompt.asked, params, *more)

        def answered(request: Request, answer: Answer) -> None:
            key, variant, prompt = asked[request.line - 1]
            self._records.put(key, dict(answer.content))
            self.fresh += 1
            self._keep(variant, prompt, answer.content)

        runner = Runner(self._engine, model, self._concurrency, self._trial.reproducible)
        runner.run(requests(), answered)

    def _key(self, model: Model, variant: Variant, prompt: Prompt, params: SamplingParams) -> str:
        system = prompt.system_of(variant)
        how = [system, variant.reasoning, variant.kv_bits, self._trial.reproducible]
        return digest("answer", model.id, prompt.asked, str(params), how)

    def _keep(self, variant: Variant, prompt: Prompt, content: Mapping[str, Any]) -> None:
        self._answers[variant.name, prompt.id] = content
        self._tell()

    def _tell(self) -> None:
        self._done += 1
        self._told(self._done, self._of)

    # Checks.

    def _check(self, checker: Checker, variant: Variant, prompt: Prompt) -> None:
        """Judge an answer by all checks that need no model."""
        answer = self._answers[variant.name, prompt.id]
        for number, check in enumerate(self._trial.checks_of(prompt)):
            found = Verdict(False, "there is no answer") if "error" in answer else None
            if found is None and check.kind != "judge":
                found = checked(checker, self._records, Case(check, prompt, answer["text"]))
            if found is not None:
                self._verdicts[variant.name, prompt.id, number] = found

    def _judgings(self) -> dict[str, dict[tuple[str, str, int], Case]]:
        """What is left to judges, by the model that judges."""
        found: dict[str, dict[tuple[str, str, int], Case]] = {}
        for variant, prompt in self._trial.cells():
            for number, check in enumerate(self._trial.checks_of(prompt)):
                if check.kind != "judge":
                    continue
                other = self._answers[check.against, prompt.id] if check.against else {}
                place = (variant.name, prompt.id, number)
                if check.against == variant.name or place in self._verdicts or "error" in other:
                    self._tell()
                else:
                    mine = self._answers[variant.name, prompt.id]["text"]
                    case = Case(check, prompt, mine, other.get("text"))
                    found.setdefault(check.model or self._trial.judge, {})[place] = case
        return found

    def _judge(self, model: Model, asked: dict[tuple[str, str, int], Case]) -> None:
        places = list(asked)

        def judged(number: int, verdict: Verdict) -> None:
            self._verdicts[places[number]] = verdict
            self._tell()

        runner = Runner(self._engine, model, self._concurrency, self._trial.reproducible)
        judge(runner, self._records, list(asked.values()), judged)
