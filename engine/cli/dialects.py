"""`python -m engine dialects`: list how models mark reasoning, answers and tool calls."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from engine.text import recognition, rendering
from engine.text.dialects import MLX_LM, OTHER, ROWS, DialectRow, Pair, Switch


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", nargs="?", type=Path, help="print the dialect of the model in this folder"
    )


def main(options: argparse.Namespace) -> int:
    if options.folder is not None:
        return _print_dialect(options.folder)
    for row in (*ROWS, OTHER):
        print(f"{row.name}: {row.models}")
        for name, words in _row_columns(row):
            if words:
                print(f"  {name:<11}{words}")
        print()
    count = sum(row.reasoning != MLX_LM or row.tools != MLX_LM for row in ROWS)
    print(
        f"{len(ROWS)} rows; {count} of them have markers that mlx-lm does not provide. If neither"
    )
    print("has any, <think> and <tool_call> in a template are used.")
    return 0


def _row_columns(row: DialectRow) -> Iterator[tuple[str, str]]:
    signs = [*(f"token {n}" for n in row.needs), *(f"template {s!r}" for s in row.says)]
    if row.renderer:
        signs.append(f"or mlx-lm's renderer {row.renderer}")
    yield "known by", ", ".join(signs) or "nothing else fits"
    if row.header is not None:
        kinds = ", ".join(f"{word!r} {kind}" for word, kind in row.header.reads)
        yield "headers", f"{' or '.join(row.header.starts)} … {row.header.end} ({kinds})"
    yield "reasoning", _format_markers(row.reasoning)
    yield "tool calls", _format_markers(row.tools)
    if row.calls != MLX_LM:
        yield "read by", row.calls
    frame_texts = [f"{f.kind} {f.start} … {f.end}".rstrip("… ") for f in row.more]
    yield "also", ", ".join(repr(words)[1:-1] for words in frame_texts)
    yield "not shown", ", ".join(repr(marker)[1:-1] for marker in row.dropped)
    yield "ends", ", ".join(row.ends)
    yield (
        "told by",
        _format_switch(row.switch) if row.switch is not None else "what its template names",
    )
    yield "dates", ", ".join(f"{name} as {form}" for name, form in row.dates.items())
    yield "source", row.source


def _format_markers(pair: Pair | str) -> str:
    if not isinstance(pair, tuple):
        return "from mlx-lm" if pair == MLX_LM else ""
    start, end = (repr(marker)[1:-1] for marker in pair)
    return f"{start} … {end or 'the end of the turn'}"


def _format_switch(switch: Switch) -> str:
    settings = [
        f"{state} {', '.join(f'{k}={v}' for k, v in arguments.items())}"
        for state, arguments in (("on", switch.on), ("off", switch.off), *switch.efforts.items())
        if arguments
    ]
    if switch.words[0]:
        settings.append(f"in the system message {switch.words[0]!r} or {switch.words[1]!r}")
    return "; ".join(settings)


def _print_dialect(folder: Path) -> int:
    from mlx_lm.utils import load_tokenizer

    try:
        tokenizer = load_tokenizer(folder, rendering.template_arguments(folder))
    except Exception as error:  # transformers and mlx-lm raise various exceptions
        first = (str(error).splitlines() or [type(error).__name__])[0]
        print(f"dialects: {folder} has no readable tokenizer: {first}", file=sys.stderr)
        return 2
    dialect = recognition.of(tokenizer)
    print(f"{folder.resolve().name} speaks {dialect.row.name!r} ({dialect.row.models})")
    for frame in dialect.markers.frames:
        print(f"  {frame.kind:<10} {frame.start!r} … {frame.end or 'the end of the turn'!r}")
    print(f"  tool calls {dialect.tool_format or 'none'}")
    print(f"  reasons    {'yes' if dialect.reasons else 'no'}: {_format_switch(dialect.switch)}")
    print(f"  ends       {', '.join(dialect.ends) or 'from its files'}")
    return 0
