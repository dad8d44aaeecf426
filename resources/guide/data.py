"""Conversations as batches of token ids, with a mark on the tokens that are to be learned."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from random import Random

import torch
from corpus.conversation import conversations, segments
from tokenizers import Tokenizer
from torch import Tensor

BUCKETS = (64, 96, 128, 160, 208, 256, 320, 384, 512, 640, 832, 1024, 1408, 2048)
GIVEN_SHARE = 0.02  # so much of what users and the template say is learned too


class Batches:
    """Batches without end. Shard by shard, each from its own seed, no conversation twice.

    Conversations of like length go together, padded to the next bucket: short ones then cost
    little attention, and no conversation ever sees another one.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        seed: int,
        tokens: int,
        reading: int,
        shard: int = 0,
        memory_share: float = 0.0,
        new_share: float = 0.0,
    ) -> None:
        self.tokenizer = tokenizer
        self.seed = seed
        self.tokens = tokens
        self.reading = reading
        self.shard = shard
        self.memory_share = memory_share
        self.new_share = new_share
        self.pad = tokenizer.token_to_id("<|endoftext|>")

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor, Tensor, int]]:
        """Inputs, targets, the flat places to learn from, and how many real tokens there are."""
        while True:
            rng = Random(self.seed * 1_000_003 + self.shard)
            batches = list(self._batches(self._encoded(rng), rng))
            rng.shuffle(batches)
            yield from batches
            self.shard += 1

    def _encoded(self, rng: Random) -> list[tuple[list[int], list[bool]]]:
        texts: list[str] = []
        learned: list[bool] = []
        starts: list[int] = []
        share = 0.55 if self.shard < self.reading else 0.04
        chats = conversations(rng.getrandbits(48), share, self.memory_share, self.new_share)
        for chat in islice(chats, 3000):
            starts.append(len(texts))
            for text, learn in segments(chat):
                texts.append(text)
                learned.append(learn)
        starts.append(len(texts))
        pieces = self.tokenizer.encode_batch(texts, add_special_tokens=False)
        result = []
        for begin, end in pairwise(starts):
            ids: list[int] = []
            marks: list[bool] = []
            for index in range(begin, end):
                piece = pieces[index].ids
                ids += piece
                if learned[index]:
                    marks += [True] * len(piece)
                else:
                    marks += [rng.random() < GIVEN_SHARE for _ in piece]
            result.append((ids, marks))
        return result

    def _batches(
        self, chats: list[tuple[list[int], list[bool]]], rng: Random
    ) -> Iterator[tuple[Tensor, Tensor, Tensor, int]]:
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

    def _pack(
        self, chats: list[tuple[list[int], list[bool]]], length: int
    ) -> tuple[Tensor, Tensor, Tensor, int]:
        ids = torch.full((len(chats), length + 1), self.pad)
        marks = torch.zeros((len(chats), length + 1), dtype=torch.bool)
        for row, (tokens, learn) in enumerate(chats):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            marks[row, : len(learn)] = torch.tensor(learn)
        places = marks[:, 1:].reshape(-1).nonzero().squeeze(1)
        real = sum(len(tokens) for tokens, _ in chats)
        return ids[:, :-1], ids[:, 1:].reshape(-1)[places], places, real
