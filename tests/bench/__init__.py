"""Benchmarks and photographs of the window, run by commands and without a person."""
