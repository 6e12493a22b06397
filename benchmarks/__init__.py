"""Benchmarks. Each one asserts its answer: a fast wrong answer is no result."""
