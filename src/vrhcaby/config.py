"""What a bug report needs to know about this installation."""

from __future__ import annotations

import platform
import sys
import sysconfig
from typing import Any

import numpy

import vrhcaby
from vrhcaby import _core
from vrhcaby._threads import usable_cores
from vrhcaby.evaluation import kernels

__all__ = ["show_config"]


def show_config() -> dict[str, Any]:
    """Versions, compiler and machine, as plain values that JSON can hold.

    >>> sorted(show_config())[:3]
    ['build', 'byte_order', 'cores']
    """
    return {
        "vrhcaby": vrhcaby.__version__,
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
        "numpy": numpy.__version__,
        "build": dict(_core.BUILD),
        "kernels": kernels(),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "byte_order": sys.byteorder,
        "cores": usable_cores(),
    }
