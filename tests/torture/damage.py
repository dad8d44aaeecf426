"""Random damage to JSON values and to files."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from itertools import islice
from typing import Any


class Raw:
    """Text that `json` would not write."""

    def __init__(self, text: str) -> None:
        self.text = text


def hostile(dice: random.Random) -> Any:
    return dice.choice((
        None, True, False, 0, -1, 1.5, 2**31, 2**63, -(2**70), 10**30, Raw("1e400"), Raw("-1e400"),
        Raw("1e99999999999999999999"), Raw("9" * 400), Raw("9" * 5000), Raw("-0.0"), Raw("NaN"),
        "", " ", "\0", "\x1b]0;t\x07", "\u202eabc\u2066", "\ud800", "\ufeff", "a\u2028b",
        "x" * 3000, "../../etc/passwd", "remote:http://127.0.0.1:9/v1#x", "/nowhere", "hub/none",
        "2024-99-99", "\U0001f3bb" * 50, "\x00\x01\x02\x7f\x85", "&amp;<script>", "```\n" * 50,
        "[a](javascript:x)",
        [], {}, [[]], [None], [{}], {"": {}}, {"a": [1]}, ["x"] * 50, [1.5, "b", None, {}],
        {"format": "stretto-chats"}, nested(dice.choice((5, 150, 400))),
        1, 2, 7, 64, 255, 1e-300, 1e308, [2**40, 2**40], {"rope_type": "yarn"},
        {"quantization": {"bits": 3}},
        *(word for word in ("user", "assistant", "system", "tool", "streaming", "passages")),
    ))  # fmt: skip


def nested(depth: int) -> Raw:
    return Raw("[" * depth + "]" * depth)


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each part of a JSON value, with only a few from long lists."""
    yield at
    if isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for key, each in islice(inner, 40):
            yield from places(each, (*at, key))


def damaged(value: Any, dice: random.Random) -> Any:
    value = deepcopy(value)
    for _ in range(dice.choice((1, 1, 2, 4))):
        path = dice.choice([p for p in places(value) if p] or [()])
        if not path:
            return hostile(dice)
        inside = value
        for key in path[:-1]:
            inside = inside[key]
        key = path[-1]
        match dice.randrange(8):
            case 0:
                del inside[key]
            case 1 if isinstance(inside, list):
                inside.append(deepcopy(inside[key]))  # a duplicate with the same ids
            case 1:
                inside[f"{key}"[::-1] or "x"] = deepcopy(inside[key])
            case 2:  # a value from another place, e.g. another id, or a child as parent
                other = dice.choice([p for p in places(value) if p])
                found = value
                for step in other:
                    found = found[step]
                inside[key] = deepcopy(found)
            case 3 if type(inside[key]) is int:
                inside[key] += dice.choice((-1, 1, 2, 1000))
            case 3 if isinstance(inside[key], str):
                inside[key] *= dice.choice((2, 1000))
            case _:
                inside[key] = hostile(dice)
    return value


def to_json(value: Any) -> str:
    raw: list[str] = []

    def plain(each: Any) -> str:
        raw.append(each.text)
        return f"\0raw {len(raw) - 1}\0"

    text = json.dumps(value, default=plain)
    for number, each in enumerate(raw):
        text = text.replace(json.dumps(f"\0raw {number}\0"), each)
    return text


def bent(data: bytes, dice: random.Random) -> bytes:
    """Return the bytes with some removed, repeated or changed."""
    at = dice.randrange(len(data) + 1)
    match dice.randrange(5):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + bytes([dice.randrange(256)]) + data[at + 1 :]
        case 2:
            return data[:at] + data[at + dice.randrange(200) :]
        case 3:
            return data[:at] + data[dice.randrange(len(data) + 1) :]
    return data[:at] + dice.randbytes(30) + data[at:]
