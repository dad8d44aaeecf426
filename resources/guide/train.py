"""Train the Guide from scratch: corpus, tokenizer, network, and export for mlx-lm.

    python resources/guide/train.py --device cuda --workers 7 --no-compile  # into this folder
    python resources/guide/train.py --resume   # continue from the last checkpoint

Needs torch, numpy, tokenizers and safetensors; the app does not need torch. The learning rate warms
up, stays constant, and decays linearly at the end. A run can be interrupted and resumed at any
time, even with a different `--steps`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import time
from itertools import islice
from pathlib import Path

import torch
import torch._dynamo
from corpus import words
from corpus.conversation import conversations, segments
from data import Batches
from model import GuideConfig, GuideModel
from safetensors.torch import load_file, save_file
from tokenizer import STOP, save_tokenizer, train_tokenizer
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn import functional

HERE = Path(__file__).resolve().parent


def build_tokenizer(path: Path, seed: int, vocab_size: int) -> Tokenizer:
    """Return the tokenizer saved with the checkpoints, or train a new one on the corpus."""
    if path.exists():
        return Tokenizer.from_file(str(path))
    texts = [
        "".join(text for text, _ in segments(chat)).replace("<|im_start|>", "").replace(STOP, "")
        for chat in islice(conversations(seed), 30_000)
    ]
    vocabulary = [f"{word} {word} {word.title()} {word.title()}" for word in words.SPELLABLE]
    tokenizer = train_tokenizer(texts + vocabulary * 3, vocab_size)
    tokenizer.save(str(path))
    return tokenizer


class Trainer:
    """Training loop with the network, its optimizers, and a running average of the weights."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.work = Path(args.work)
        self.work.mkdir(parents=True, exist_ok=True)
        (self.work / "train.pid").write_text(str(os.getpid()))
        torch.manual_seed(args.seed)
        torch.set_num_threads(args.threads)
        torch._dynamo.config.recompile_limit = 64  # one graph per length of batch
        resumed = args.resume and self.checkpoint.exists()
        self.config = GuideConfig()
        if args.start_from and not (self.work / "tokenizer.json").exists():
            shutil.copy(Path(args.start_from) / "tokenizer.json", self.work)
        self.tokenizer = build_tokenizer(
            self.work / "tokenizer.json", args.seed, self.config.vocab_size
        )
        self.model = GuideModel(self.config).to(args.device)
        if args.start_from and not resumed:
            trained = load_file(Path(args.start_from) / "model.safetensors")
            self.model.load_state_dict({k: v.float() for k, v in trained.items()})
        self.average = {k: v.detach().clone() for k, v in self.model.named_parameters()}
        weights = dict(self.model.named_parameters())
        matrices = [w for n, w in weights.items() if w.ndim == 2 and "embed" not in n]
        rest = [w for n, w in weights.items() if w.ndim != 2 or "embed" in n]
        self.optimizers = [
            torch.optim.Muon(matrices, lr=args.muon_lr, weight_decay=0.02),
            torch.optim.AdamW(
                rest, lr=args.adam_lr, betas=(0.9, 0.95), weight_decay=0.0, fused=True
            ),
        ]
        self.base_rates = [args.muon_lr, args.adam_lr]
        self.told_to_stop = False
        signal.signal(signal.SIGTERM, self.stop)
        self.step = 0
        self.seen = 0
        self.shard = 0
        if resumed:
            self.restore()
        if args.compile:
            for layer in self.model.model.layers:  # layers share a graph per length
                layer.compile(dynamic=False)

    @property
    def checkpoint(self) -> Path:
        return self.work / "checkpoint.pt"

    def stop(self, *_: object) -> None:
        """Request to finish the step, save and exit, on SIGTERM."""
        self.told_to_stop = True

    def rate(self) -> float:
        """Return the current learning rate as a share of the base rate."""
        warm = min(1.0, (self.step + 1) / self.args.warmup)
        left = (self.args.steps - self.step) / max(1, self.args.decay_steps)
        return warm * max(0.02, min(1.0, left))

    def run(self) -> None:
        args = self.args
        batches = Batches(
            self.tokenizer, args.seed, args.batch, args.reading, self.shard,
            args.new_share, args.latest_share, args.workers,
        )  # fmt: skip
        started = saved = logged = time.monotonic()
        losses: list[Tensor] = []
        tokens = 0
        for inputs, targets, places, real in batches:
            if self.step >= self.args.steps or self.told_to_stop:
                break
            losses.append(self.update(inputs, targets, places))
            self.seen += real
            tokens += real
            self.shard = batches.shard
            now = time.monotonic()
            if now - logged > 20:
                mean = float(sum(losses)) / len(losses)
                speed = tokens / (now - logged)
                print(
                    f"step {self.step} loss {mean:.4f} rate {self.rate():.3f} "
                    f"tokens {self.seen / 1e6:.2f}M {speed:.0f}/s {now - started:.0f}s",
                    flush=True,
                )
                losses, tokens, logged = [], 0, now
            if now - saved > 60 * self.args.save_minutes:
                self.save()
                saved = time.monotonic()
        self.shard += 1  # a resumed run starts with new conversations
        self.save()

    def update(self, inputs: Tensor, targets: Tensor, places: Tensor) -> Tensor:
        """Run one optimizer step. Return the loss, without waiting for it."""
        rate = self.rate()
        for optimizer, base in zip(self.optimizers, self.base_rates, strict=True):
            for group in optimizer.param_groups:
                group["lr"] = base * rate
        device = self.args.device
        inputs, targets, places = inputs.to(device), targets.to(device), places.to(device)
        with torch.autocast(device, torch.bfloat16):
            hidden = self.model.hidden(inputs)
            chosen = hidden.reshape(-1, hidden.shape[-1])[places]
            logits = self.model.logits(chosen)
        loss = functional.cross_entropy(logits.float(), targets)
        loss.backward()
        for optimizer in self.optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        self.step += 1
        self.follow()
        return loss.detach()

    @torch.no_grad()
    def follow(self) -> None:
        """Update the running average, which is exported."""
        pace = max(0.01, 1 / (1 + self.step / 10))
        for name, weight in self.model.named_parameters():
            self.average[name].lerp_(weight, pace)

    def save(self) -> None:
        """Write the checkpoint and the export, each atomically."""
        state = {
            "model": self.model.state_dict(),
            "average": self.average,
            "optimizers": [optimizer.state_dict() for optimizer in self.optimizers],
            "step": self.step,
            "seen": self.seen,
            "shard": self.shard + 1,
        }
        part = self.checkpoint.with_suffix(".part")
        torch.save(state, part)
        part.replace(self.checkpoint)
        export(self.average, self.config, self.tokenizer, Path(self.args.out))

    def restore(self) -> None:
        state = torch.load(self.checkpoint, weights_only=True, map_location=self.args.device)
        self.model.load_state_dict(state["model"])
        self.average = state["average"]
        for optimizer, saved in zip(self.optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        self.step, self.seen, self.shard = state["step"], state["seen"], state["shard"]


def export(
    weights: dict[str, Tensor], config: GuideConfig, tokenizer: Tokenizer, folder: Path
) -> None:
    """Write the folder for mlx-lm: bfloat16 weights, config, tokenizer, defaults."""
    folder.mkdir(parents=True, exist_ok=True)
    stop = tokenizer.token_to_id(STOP)
    end = tokenizer.token_to_id("<|endoftext|>")
    part = folder / "model.safetensors.part"
    tensors = {name: stepped(weight).to(torch.bfloat16).cpu() for name, weight in weights.items()}
    save_file(tensors, str(part), metadata={"format": "pt"})
    part.chmod(0o644)
    part.replace(folder / "model.safetensors")
    generation = {
        "do_sample": True,
        "temperature": 0.3,
        "top_p": 0.9,
        # without it, one in twelve names was not a name, as hundreds are equally likely
        "min_p": 0.3,
        "eos_token_id": [stop, end],
        "pad_token_id": end,
        "max_new_tokens": 1024,
    }
    write_json(folder / "config.json", config.as_hugging_face(end, [stop, end], end))
    write_json(folder / "generation_config.json", generation)
    save_tokenizer(tokenizer, folder, config.max_position_embeddings)
    template = (HERE / "chat_template.jinja").read_text("utf-8")
    if folder != HERE:
        (folder / "chat_template.jinja").write_text(template, "utf-8")


def stepped(weight: Tensor, bits: int = 8) -> Tensor:
    """Round each row of a matrix to multiples of a power of two, with an error of about 1%.

    bfloat16 represents these numbers exactly, and an archive of them is a third smaller.
    """
    if weight.ndim < 2:
        return weight
    largest = weight.abs().amax(1, keepdim=True).clamp_min(1e-30)
    step = torch.exp2(torch.ceil(torch.log2(largest)) - (bits - 1))
    return (weight / step).round() * step


def write_json(path: Path, data: dict[str, object]) -> None:
    path.write_text(json.dumps(data, indent=2) + "\n", "utf-8")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=17520)
    parser.add_argument("--decay-steps", type=int, default=12264)
    parser.add_argument("--warmup", type=int, default=200)
    parser.add_argument("--batch", type=int, default=16384, help="tokens in a step")
    parser.add_argument("--muon-lr", type=float, default=0.02)
    parser.add_argument("--adam-lr", type=float, default=0.003)
    parser.add_argument("--reading", type=int, default=6, help="shards that begin with reading")
    parser.add_argument(
        "--new-share", type=float, default=0.3, help="more conversations about what is new"
    )
    parser.add_argument(
        "--latest-share", type=float, default=0.0, help="and most about what came last"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--save-minutes", type=float, default=3)
    parser.add_argument("--work", default=str(HERE / ".training"), help="checkpoints")
    parser.add_argument("--out", default=str(HERE), help="where the model is exported to")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    parser.add_argument(
        "--start-from", metavar="DIR", help="an exported model to begin with (take another --seed)"
    )
    parser.add_argument("--device", default="cpu", help="cpu, or cuda where there is one")
    parser.add_argument("--workers", type=int, default=0, help="processes that compose the corpus")
    parser.add_argument("--no-compile", dest="compile", action="store_false")
    return parser.parse_args()


if __name__ == "__main__":
    Trainer(arguments()).run()
