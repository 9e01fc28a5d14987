"""``python -m minpairs``, for launchers that take a module."""

from minpairs.cli import main

main()
