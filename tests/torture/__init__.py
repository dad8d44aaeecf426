"""Checks that take longer than the test suite: `python -m tests.torture`."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
