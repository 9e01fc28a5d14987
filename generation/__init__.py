"""Lexicons and templates of the benchmarks, as data files."""
