"""Benchmarks of the engine: commands that compare two things in one run."""
