"""`python -m engine batch IN.jsonl OUT.jsonl`: the parts put together, and the exit status."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from engine.batch import requests
from engine.batch.requests import Defaults, Request
from engine.batch.results import OutputError, Results, Summary, duration, record
from engine.batch.run import Answer, BadLine, Parser, Runner, digest, lines
from engine.cli.arguments import (
    GUIDE,
    Line,
    add_adapter,
    add_draft,
    add_ranks,
    bar,
    positive,
    ranks_of,
    terminable,
    ways_dir,
)
from engine.engine import Engine
from engine.errors import INVALID_REQUEST, EngineError
from engine.model.info import Model
from engine.params import SamplingParams

ALL_ANSWERED, SOME_FAILED, COULD_NOT_RUN, INTERRUPTED = 0, 1, 2, 130
_TOLD = 20  # bad lines that are told one by one

EPILOG = """\
A line is {"prompt": "…"} or {"messages": […]}, with "id", "system", "reasoning" and the fields of
SamplingParams (temperature, top_p, max_tokens, stop, seed, json_schema, …) as it likes; or of
OpenAI's batch shape {"custom_id", "method", "url", "body"}, and is then answered in that shape.
Unknown fields are ignored and listed. Answers are written as they come, and sorted by line when
the run ends.

Interrupted in whatever way, the same command goes on where it was.
Exit status: 0 all lines are answered, 1 some are not (their records have an "error"), 2 it could
not run or go on, 130 interrupted.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EPILOG
    parser.add_argument("input", type=Path, metavar="IN.jsonl", help="one request a line")
    parser.add_argument("output", type=Path, metavar="OUT.jsonl", help="one answer a line")
    parser.add_argument(
        "--model", default=str(GUIDE), help="model folder, GGUF file or hub id (the Guide)"
    )
    add_adapter(parser)
    add_draft(parser)
    add_ranks(parser)
    parser.add_argument("--concurrency", type=positive, default=8, metavar="N", help="at once (8)")
    parser.add_argument("--seed", type=int, default=0, help="makes every line's own seed (0)")
    parser.add_argument("--max-tokens", type=int, help="where a line does not say (2048)")
    parser.add_argument("--temperature", type=float, help="where a line does not say")
    parser.add_argument("--top-p", type=float, help="where a line does not say")
    parser.add_argument("--system", help="a system message for lines without one")
    parser.add_argument(
        "--think", action=argparse.BooleanOptionalAction, help="let the model reason first, or not"
    )
    parser.add_argument("--reproducible", action="store_true", help="bit-identical, slower")
    parser.add_argument("--retry-failed", action="store_true", help="answer failed lines anew")
    parser.add_argument("--restart", action="store_true", help="throw earlier answers away")
    parser.add_argument("--timings", action="store_true", help="also write each answer's times")
    parser.add_argument("--json", metavar="FILE", help="also write the summary; - for stdout")


def main(options: argparse.Namespace) -> int:
    try:
        with terminable(), Engine(ranks=ranks_of(options), ways_dir=ways_dir()) as engine:
            return _batch(engine, options)
    except KeyboardInterrupt:
        print("batch: interrupted; the same command goes on from here.", file=sys.stderr)
        return INTERRUPTED
    except (EngineError, OutputError, ValueError) as error:
        print(f"batch: {error}", file=sys.stderr)
    except OSError as error:
        print(
            f"batch: {error.filename or options.output}: {error.strerror or error}. What has been "
            "answered is kept; the same command goes on from there.",
            file=sys.stderr,
        )
    return COULD_NOT_RUN


def _batch(engine: Engine, options: argparse.Namespace) -> int:
    source, target = options.input, options.output
    if not source.is_file():
        raise OutputError(f"There is no file {source}.")
    if target.exists() and target.samefile(source):
        raise OutputError(f"{target} is the input. Name another file for the answers.")
    sampling = {k: getattr(options, k) for k in ("max_tokens", "temperature", "top_p")}
    asked = {k: v for k, v in sampling.items() if v is not None}
    SamplingParams(**asked)  # a mistake on the command line is not every line's
    model = engine.load(options.model, options.adapter, options.draft_model)
    defaults = Defaults({**model.defaults, **asked}, options.seed, options.system, options.think)
    salt = json.dumps([model.id, to_builtins(defaults), options.reproducible], sort_keys=True)
    results = Results(target, options.restart, options.retry_failed)
    try:
        count = results.check((n, digest(raw, salt)) for n, raw in lines(source))
        batch, parser = _Batch(results, salt, model, options, count), Parser(defaults)
        try:
            runner = Runner(engine, model, options.concurrency, options.reproducible)
            batch.run(runner, lines(source), parser)
        finally:
            batch.tell(sorted(parser.ignored))
    finally:
        results.close()
    return SOME_FAILED if batch.summary.all_failed else ALL_ANSWERED


class _Batch:
    """One run: lines go to the engine, answers to the output, progress to the terminal."""

    def __init__(
        self, results: Results, salt: str, model: Model, options: argparse.Namespace, count: int
    ) -> None:
        known = results.known.values()
        self.summary = Summary(count, len(known), sum(k.failed for k in known))
        self._results = results
        self._salt = salt
        self._model = model
        self._options = options
        self._progress = Line(sys.stderr)
        self._told = 0
        self._digests: dict[int, str] = {}  # of the lines on their way

    def run(self, runner: Runner, source: Iterator[tuple[int, bytes]], parse: Parser) -> None:
        def draw() -> None:
            self._progress.draw(_progress(self.summary, runner.tokens))

        draw()
        runner.run(
            self._requests(source, parse), self._write, draw if self._progress.shown else None
        )

    def tell(self, ignored: Sequence[str]) -> None:
        """Print the ignored fields and the summary, also of a run that was interrupted."""
        self._progress.clear()
        if ignored:
            named = ", ".join(ignored[:_TOLD])
            more = f" and {len(ignored) - _TOLD:,} more" if len(ignored) > _TOLD else ""
            print(f"batch: ignored fields: {named}{more}", file=sys.stderr)
        if self._told > _TOLD:
            print(f"batch: {self._told - _TOLD:,} more lines failed.", file=sys.stderr)
        print(self.summary.text(), file=sys.stderr)
        if self._options.json:
            text = json.dumps(self.summary.figures(), indent=2)
            if self._options.json == "-":
                print(text)
            else:
                Path(self._options.json).write_text(text + "\n", encoding="utf-8")

    def _requests(self, source: Iterator[tuple[int, bytes]], parse: Parser) -> Iterator[Request]:
        """The lines still to be answered. Bad ones get their record at once."""
        for number, raw in source:
            line = parse(number, raw)
            if number in self._results.known:
                continue
            self._digests[number] = digest(raw, self._salt)
            if isinstance(line, Request):
                yield line
                continue
            self.summary.add_bad_line()
            self._put(line, {"error": {"code": INVALID_REQUEST, "message": line.why}})

    def _write(self, request: Request, answer: Answer) -> None:
        self.summary.add(answer)
        content = dict(answer.content)
        if self._options.timings and not answer.failed:
            content["ttft_s"] = round(answer.stats.ttft_s, 4)
            content["latency_s"] = round(answer.latency_s, 4)
        self._put(request, content)

    def _put(self, line: Request | BadLine, content: dict[str, Any]) -> None:
        name = self._digests.pop(line.line)
        if "error" in content:
            self._told += 1
            if self._told <= _TOLD:
                self._progress.clear()
                print(f"batch: line {line.line}: {content['error']['message']}", file=sys.stderr)
        if not line.openai:
            content = {"id": line.id, **content}
        elif "error" in content:
            content = requests.failure(name, line.id, content["error"])
        else:
            content = requests.completion(name, line.id, self._model.name, content)
        self._results.put(line.line, record(line.line, name, content))


def _progress(summary: Summary, tokens: int) -> str:
    """A line for a terminal. `tokens`: how many the engine has given so far."""
    done, of = summary.done, summary.lines
    seconds = max(summary.seconds, 1e-6)
    now = summary.answered + summary.failed
    left = f"{duration(seconds / now * (of - done))} left" if now else "…"
    failed = f", {summary.failed:,} failed" if summary.failed else ""
    return (
        f"{bar(done, of)} {done:,} of {of:,}{failed}  {now / seconds:.2f}/s  "
        f"{tokens / seconds:.0f} tokens/s  {left}"
    )
