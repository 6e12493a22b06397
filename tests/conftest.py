"""How many examples Hypothesis tries: ``HYPOTHESIS_PROFILE=quick`` (default), ``ci`` or ``thorough``."""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

# The reference is slow on purpose, so neither a deadline nor the health check of slow data says anything.
_COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])

settings.register_profile("quick", _COMMON, max_examples=20)
settings.register_profile("ci", _COMMON, max_examples=40, derandomize=True, print_blob=True)
settings.register_profile("thorough", _COMMON, max_examples=3000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "quick"))

# What runs in the background may have been started with Ctrl-C ignored. Tests send it to themselves and to programs
# that they start, which inherit this.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
