"""Settings of Hypothesis for all tests.

``make test`` draws the same cases every time, on machines however slow: it passes or fails by the
code alone. ``pytest --hypothesis-profile explore`` draws new ones.
"""

from hypothesis import HealthCheck, settings

_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("steady", _PATIENT, derandomize=True)
settings.register_profile("explore", _PATIENT, print_blob=True)
settings.load_profile("steady")
