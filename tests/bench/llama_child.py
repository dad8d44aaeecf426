"""Child process that runs llama.cpp, with a line of JSON per request and response.

It runs in another Python environment with `llama-cpp-python`, so it imports nothing of ours.
"""

import ctypes
import json
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import llama_cpp as lib


class Peer:
    """A model and its operations. Token ids are random, because the work doesn't depend on them."""

    def __init__(self) -> None:
        lib.llama_backend_init()
        self._silent = lib.llama_log_callback(lambda *_: None)
        lib.llama_log_set(self._silent, ctypes.c_void_p(0))
        self._random = random.Random(1)
        self._model: Any = None

    def load(self, path: str, threads: int) -> dict[str, float]:
        """Replace the loaded model. `seconds` includes creating a context of 512 tokens."""
        if self._model is not None:
            lib.llama_model_free(self._model)
        self._threads = threads
        began = time.perf_counter()
        self._model = lib.llama_model_load_from_file(
            path.encode(), lib.llama_model_default_params()
        )
        if not self._model:
            raise RuntimeError(f"{path} cannot be loaded")
        with self._context(1, 512):
            seconds = time.perf_counter() - began
        vocab = lib.llama_model_get_vocab(self._model)
        self._tokens = lib.llama_vocab_n_tokens(vocab)
        return {"seconds": seconds}

    def first(self, prompt: int) -> dict[str, float]:
        with self._context(1, prompt + 8) as context:
            began = time.perf_counter()
            self._read(context, 0, prompt)
            self._sample(context, -1)
            return {"seconds": time.perf_counter() - began}

    def decode(self, chats: int, prompt: int, tokens: int) -> dict[str, float]:
        """Return the total tokens/s of `chats` chats that decode greedily."""
        with self._context(chats, prompt + tokens + 8) as context:
            last = []
            for chat in range(chats):
                self._read(context, chat, prompt)
                last.append(self._sample(context, -1))
            began = time.perf_counter()
            for step in range(tokens):
                rows = [(token, prompt + step, chat) for chat, token in enumerate(last)]
                self._feed(context, rows, every=True)
                last = [self._sample(context, row) for row in range(chats)]
            return {"rate": chats * tokens / (time.perf_counter() - began)}

    def quantize(self, path: str, out: str, kind: str) -> dict[str, float]:
        options = lib.llama_model_quantize_default_params()
        options.ftype = getattr(lib, f"LLAMA_FTYPE_MOSTLY_{kind}")
        options.allow_requantize = True
        if lib.llama_model_quantize(path.encode(), out.encode(), ctypes.byref(options)):
            raise RuntimeError(f"{path} cannot be quantized")
        return {}

    @contextmanager
    def _context(self, chats: int, length: int) -> Iterator[Any]:
        options = lib.llama_context_default_params()
        options.n_ctx = chats * (-(-length // 256) * 256)
        options.n_batch = max(2048, chats)
        options.n_seq_max = chats
        options.n_threads = options.n_threads_batch = self._threads
        context = lib.llama_init_from_model(self._model, options)
        if not context:
            raise RuntimeError(f"no context for {chats} chats of {length} tokens")
        self._sampler = lib.llama_sampler_init_greedy()
        try:
            yield context
        finally:
            lib.llama_sampler_free(self._sampler)
            lib.llama_free(context)

    def _read(self, context: Any, chat: int, count: int) -> None:
        known = [self._random.randrange(300, self._tokens) for _ in range(count)]
        for first in range(0, count, 2048):
            piece = known[first : first + 2048]
            rows = [(token, first + n, chat) for n, token in enumerate(piece)]
            self._feed(context, rows, every=False)

    def _feed(self, context: Any, rows: list[tuple[int, int, int]], every: bool) -> None:
        batch = lib.llama_batch_init(len(rows), 0, 1)
        batch.n_tokens = len(rows)
        for row, (token, position, chat) in enumerate(rows):
            batch.token[row], batch.pos[row] = token, position
            batch.n_seq_id[row], batch.seq_id[row][0] = 1, chat
            batch.logits[row] = every or row == len(rows) - 1
        status = lib.llama_decode(context, batch)
        lib.llama_batch_free(batch)
        if status:
            raise RuntimeError(f"llama_decode returned {status}")

    def _sample(self, context: Any, row: int) -> int:
        return int(lib.llama_sampler_sample(self._sampler, context, row))


def main() -> None:
    peer = Peer()
    print(json.dumps({"about": lib.llama_print_system_info().decode()}), flush=True)
    for line in sys.stdin:
        name, given = json.loads(line)
        try:
            found = getattr(peer, name)(**given)
        except Exception as error:
            found = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
