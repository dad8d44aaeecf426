"""In the child: what can be asked of it, by name. Arguments and results are plain data."""

from __future__ import annotations

import importlib
import json
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.core.confined.readers import Plain, whole
from engine.core.confined.refusing import RefusedError
from engine.errors import EngineError
from engine.params import SamplingParams
from engine.text.rendering import Reader, TooLongError

Result = tuple[dict[str, Any], tuple[bytes, ...]]

_readers: dict[str, Reader] = {}
_forms: dict[str, Any] = {}  # llguidance's tokenizers


def _hold(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    """Take a model's tokenizer, and let go of all that are not to be kept."""
    for held in (_readers, _forms):
        for key in set(held) - set(arguments["keep"]):
            del held[key]
    known = arguments["known"]
    if known is not None:
        _readers[arguments["key"]] = Plain(known, blobs[0])
    else:
        given = (arguments[name] for name in ("folder", "eos", "defaults"))
        _readers[arguments["key"]] = whole(*given)
    return {}, ()


def _render(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    long = arguments["long"]
    count = len(blobs) - len(long)
    lists = [json.loads(blob) for blob in blobs[:count]]
    for (number, place, key), blob in zip(long, blobs[count:], strict=True):
        lists[number][place][key] = blob.decode()
    asked = [(lists[number], opening) for number, opening in arguments["asked"]]
    texts: list[bytes] = []
    errors: list[list[str] | None] = []
    reader, template = _readers[arguments["key"]], arguments["template"]
    for text in reader.render(asked, arguments["reasoning"], template):
        if isinstance(text, EngineError):
            errors.append([text.code, text.message.encode(errors="replace").decode()])
            texts.append(b"")
        else:
            errors.append(None)
            texts.append(text.encode())
    return {"errors": errors}, tuple(texts)


def _encode(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    try:
        ids = _readers[arguments["key"]].encode(
            [blob.decode() for blob in blobs], arguments.get("most")
        )
    except TooLongError as error:
        return {"too_long": error.tokens}, ()
    return {}, tuple(array("I", some).tobytes() for some in ids)


def _form(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    from engine.core.confined.compile import compile_form

    params = SamplingParams(**arguments["form"])
    compile_form(params, _form_tokenizer(arguments) if "key" in arguments else None)
    return {}, ()


def _form_tokenizer(arguments: dict[str, Any]) -> Any:
    import llguidance

    key = arguments["key"]
    if key not in _forms:
        ends = arguments["eos"]
        _forms[key] = llguidance.LLTokenizer(_backend(key).to_str(), eos_token=ends, slices=[])
    return _forms[key]


def _backend(key: str) -> Any:
    reader = _readers[key]
    inner = getattr(reader, "tokenizer", None)
    backend = inner if isinstance(reader, Plain) else getattr(inner, "backend_tokenizer", None)
    if backend is None:
        raise RefusedError("The tokenizer of this model cannot be used for answers of a form.")
    return backend


def _form_tokens(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    from engine.text.form_tokens import tell

    told = tell(_form_tokenizer(arguments), _backend(arguments["key"]).to_str())
    return ({"told": None}, ()) if told is None else ({"told": told[0]}, told[1])


def _folder(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    from engine.core.confined.files import look

    return look(Path(arguments["folder"]), arguments["name"]), ()


def _adapter(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    from engine.core.confined.adapters import look

    return look(Path(arguments["folder"]), arguments["name"]), ()


def _tokenizer(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    from engine.core.confined.check import check

    where = Path(arguments["folder"])
    return check(where, arguments["rows"], arguments["eos"], arguments["defaults"])


def _document(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    from engine.text.documents import UnreadableError, read

    try:
        found = read(Path(arguments["path"]))
    except UnreadableError as error:
        raise RefusedError(str(error)) from None
    told = {"kind": found.kind, "unit": found.unit, "labels": list(found.labels)}
    return told, ("\f".join(found.pages).encode(errors="replace"),)


def _gguf_digest(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    from engine.hub.gguf.folder import digest

    return digest(Path(arguments["path"]), arguments["called"]), ()


def _gguf(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    from engine.hub.gguf.folder import write

    path, out = Path(arguments["path"]), Path(arguments["out"])
    return write(path, out, arguments["called"], arguments["card"]), ()


def _kernel(arguments: dict[str, Any], blobs: list[bytes]) -> Result:
    from engine.model.kernel import trial
    from engine.model.kernel.program import Geometry

    module, _, name = arguments["maker"].partition(":")
    attend = getattr(importlib.import_module(module), name)(arguments["device"])
    geometry = Geometry(**arguments["geometry"])
    return {"fault": trial.first_fault(attend, geometry, arguments["cases"])}, ()


def warm() -> None:
    """Import what checking a tokenizer needs, before anybody waits for it."""
    import engine.core.confined.check  # noqa: F401
    from engine.core.confined.readers import mlx_lm_tokenizers

    mlx_lm_tokenizers()


TASKS: dict[str, Callable[[dict[str, Any], list[bytes]], Result]] = {
    "hold": _hold,
    "render": _render,
    "encode": _encode,
    "form": _form,
    "form_tokens": _form_tokens,
    "folder": _folder,
    "adapter": _adapter,
    "tokenizer": _tokenizer,
    "document": _document,
    "kernel": _kernel,
    "gguf_digest": _gguf_digest,
    "gguf": _gguf,
}
