"""Batches of token ids from conversations, with marks on the tokens to learn."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Iterator
from itertools import count, islice, pairwise
from multiprocessing.pool import AsyncResult
from random import Random

import numpy as np
import torch
from corpus.conversation import conversations, segments
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor

Batch = tuple[NDArray[np.int16], NDArray[np.int16], NDArray[np.int64], int]
"""Inputs, targets, flat positions to learn from, and number of real tokens."""

BUCKETS = (32, 48, 64, 96, 128, 160, 208, 256, 320, 384, 512, 640, 832, 1024, 1408, 2048)
GIVEN_SHARE = 0.02  # share of tokens of users and the template that are also learned
BEGINNING = 12  # tokens after which all answers differ


class Batches:
    """Endless batches, shard by shard. Each shard has its own seed, so no conversation repeats.

    Conversations of similar length are batched and padded to the next bucket. So short ones cost
    little attention, and no conversation attends to another.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        seed: int,
        tokens: int,
        reading: int,
        shard: int = 0,
        new_share: float = 0.0,
        latest_share: float = 0.0,
        workers: int = 0,
    ) -> None:
        self.tokenizer = tokenizer
        self.seed = seed
        self.tokens = tokens
        self.reading = reading
        self.shard = shard
        self.new_share = new_share
        self.latest_share = latest_share
        self.workers = workers
        self.pad = tokenizer.token_to_id("<|endoftext|>")

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor, Tensor, int]]:
        for number, batches in self._shards():
            self.shard = number
            for inputs, targets, places, real in batches:
                yield (
                    torch.from_numpy(inputs).long(),
                    torch.from_numpy(targets).long(),
                    torch.from_numpy(places),
                    real,
                )

    def _shards(self) -> Iterator[tuple[int, list[Batch]]]:
        """Yield the shards. With workers, they are composed in parallel to the training."""
        numbers = count(self.shard)
        if not self.workers:
            yield from ((number, self.composed(number)) for number in numbers)
        # replaces the trainer's handler, which the fork has inherited
        ended_by = (signal.SIGTERM, signal.SIG_DFL)
        fork = multiprocessing.get_context("fork")
        with fork.Pool(self.workers, signal.signal, ended_by) as pool:
            ahead: deque[tuple[int, AsyncResult[list[Batch]]]] = deque()
            while True:
                while len(ahead) < 2 * self.workers:
                    number = next(numbers)
                    ahead.append((number, pool.apply_async(self.composed, (number,))))
                number, result = ahead.popleft()
                yield number, result.get()

    def composed(self, shard: int) -> list[Batch]:
        """Return the batches of a shard, in an order that depends on its number and the seed."""
        rng = Random(self.seed * 1_000_003 + shard)
        batches = list(self._batches(self._encoded(rng, shard), rng))
        rng.shuffle(batches)
        return batches

    def _encoded(self, rng: Random, shard: int) -> list[tuple[list[int], list[bool]]]:
        texts: list[str] = []
        learned: list[bool] = []
        starts: list[int] = []
        begun: list[bool] = []
        share = 0.55 if shard < self.reading else 0.04
        chats = conversations(rng.getrandbits(48), share, self.new_share, self.latest_share)
        for chat in islice(chats, 3000):
            starts.append(len(texts))
            begun.append(chat.begun)
            for text, learn in segments(chat):
                texts.append(text)
                learned.append(learn)
        starts.append(len(texts))
        pieces = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        result = []
        for (begin, end), cut in zip(pairwise(starts), begun, strict=True):
            ids: list[int] = []
            marks: list[bool] = []
            for index in range(begin, end):
                piece = pieces[index].ids
                ids += piece
                if learned[index]:
                    marks += [True] * len(piece)
                else:
                    marks += [rng.random() < GIVEN_SHARE for _ in piece]
            if cut:  # the second segment from the end is the answer
                answer = len(pieces[end - 2].ids) + len(pieces[end - 1].ids)
                length = len(ids) - answer + min(answer, BEGINNING)
                ids, marks = ids[:length], marks[:length]
            result.append((ids, marks))
        return result

    def _batches(self, chats: list[tuple[list[int], list[bool]]], rng: Random) -> Iterator[Batch]:
        by_bucket: dict[int, list[tuple[list[int], list[bool]]]] = {b: [] for b in BUCKETS}
        for chat in chats:
            fitting = [bucket for bucket in BUCKETS if len(chat[0]) <= bucket + 1]
            if fitting:
                by_bucket[fitting[0]].append(chat)
        for bucket, members in by_bucket.items():
            rng.shuffle(members)
            rows = max(1, self.tokens // bucket)
            for begin in range(0, len(members) - rows + 1, rows):
                yield self._pack(members[begin : begin + rows], bucket)

    def _pack(self, chats: list[tuple[list[int], list[bool]]], length: int) -> Batch:
        ids = np.full((len(chats), length + 1), self.pad, np.int16)
        marks = np.zeros((len(chats), length + 1), bool)
        for row, (tokens, learn) in enumerate(chats):
            ids[row, : len(tokens)] = tokens
            marks[row, : len(learn)] = learn
        places = marks[:, 1:].reshape(-1).nonzero()[0]
        real = sum(len(tokens) for tokens, _ in chats)
        return ids[:, :-1].copy(), ids[:, 1:].reshape(-1)[places], places, real
