"""Examples of properties are the same in every run: what passed for one person passes for the next.

To look for new ones: make test ARGS="--hypothesis-profile=search tests/properties tests/unit"
"""

from hypothesis import HealthCheck, settings

settings.register_profile("search", deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy machine
settings.register_profile("steady", settings.get_profile("search"), derandomize=True)
settings.load_profile("steady")
