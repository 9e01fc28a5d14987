"""The metric lives in the package; evaluate loads this file and finds the class in it."""

import evaluate  # noqa: F401

from minpairs.metric import MinimalPairs  # noqa: F401
