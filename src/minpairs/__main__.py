"""``python -m minpairs``, for launchers that take a module."""

from minpairs.cli import main

if __name__ == "__main__":
    main()
