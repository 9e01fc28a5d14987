"""Benchmarks: the form of their items, and the folders they live in."""
