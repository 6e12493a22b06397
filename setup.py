"""Builds the native extensions; everything static is in pyproject.toml.

``VRHCABY_LINETRACE=1`` builds them for coverage.py (slow: for measuring coverage only). Other compiler flags, such as
those of the sanitizers, come from ``CFLAGS`` as usual; an optimisation level among them replaces ours.
"""

import os
import platform
import sys
from pathlib import Path

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = Path("src")
HEADERS = [str(path) for pattern in ("*.h", "*.pxd", "network.c") for path in sorted(SOURCE.rglob(pattern))]
KERNELS = SOURCE / "vrhcaby" / "_kernels"
# What is compiled once for each instruction set, with the compiler's flags for it: those of gcc and clang, of MSVC.
# `_kernels/kernels.c` asks the processor for every feature named here before it uses a set.
NETWORK = "vrhcaby.evaluation._incremental"
INSTRUCTION_SETS: dict[str, tuple[list[str], list[str]]] = {
    "base": ([], []),
    "avx2": (["-mavx2"], ["/arch:AVX2"]),
    "avx512": (["-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl"], ["/arch:AVX512"]),
}
X86_64 = {"x86_64", "amd64"}
LINETRACE = os.environ.get("VRHCABY_LINETRACE") == "1"
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "freethreading_compatible": True,
    "binding": True,
    "linetrace": LINETRACE,
}


class BuildExtensions(build_ext):
    """Translates the Cython files, when extensions are built and not before, and adds the compiler's flags."""

    def finalize_options(self) -> None:
        super().finalize_options()
        if self.parallel is None:
            self.parallel = True  # one compiler for each processor; the extensions do not depend on one another

    def build_extensions(self) -> None:
        generated = cythonize(
            self.extensions,
            include_path=[str(SOURCE)],
            # Generated C stays out of the source tree, except for coverage.py, which looks for it beside the .pyx.
            build_dir=None if LINETRACE else "build",
            compiler_directives=DIRECTIVES,
        )
        sources = {extension.name: extension.sources for extension in generated}
        flags = self.compiler_flags()
        for extension in self.extensions:
            extension.sources = sources[extension.name]
            extension.extra_compile_args = flags
        super().build_extensions()

    def build_extension(self, extension: Extension) -> None:
        if extension.name == NETWORK:
            extension.extra_objects = self.network_kernels(extension)
        super().build_extension(extension)

    def network_kernels(self, extension: Extension) -> list[str]:
        """One object for each instruction set of the machine that is built for."""
        msvc = self.compiler.compiler_type == "msvc"
        # Python for macOS may build for both architectures at once: every object has both, and on ARM they are alike.
        both = sys.platform == "darwin"
        x86_64 = both or platform.machine().lower() in X86_64
        objects = []
        for name, (others, microsoft) in INSTRUCTION_SETS.items():
            flags = microsoft if msvc else others
            if both:
                flags = [part for flag in flags for part in ("-Xarch_x86_64", flag)]
            if x86_64 or name == "base":
                objects += self.compiler.compile(
                    [str(KERNELS / "network.c")],
                    output_dir=str(Path(self.build_temp) / name),
                    macros=[("VR_ROW", name)],
                    include_dirs=[str(KERNELS)],
                    extra_postargs=[*extension.extra_compile_args, *flags],
                    depends=extension.depends,
                )
        return objects

    def compiler_flags(self) -> list[str]:
        if self.compiler.compiler_type == "msvc":
            # Written without a machine to try it on.
            return ["/O2", "/std:c11"]
        # No contraction to fused multiply-add: results must be the same on every machine.
        flags = ["-std=c11", "-ffp-contract=off", "-fvisibility=hidden"]
        if "-O" not in os.environ.get("CFLAGS", ""):
            flags.append("-O3")
        if sys.platform == "darwin":
            # Python may build for both architectures at once: the flag belongs to one of them only.
            return [*flags, "-Xarch_x86_64", "-march=x86-64-v2"]
        if platform.machine().lower() in X86_64:
            return [*flags, "-march=x86-64-v2"]
        return flags


def extension(path: Path) -> Extension:
    """The extension of one .pyx file, named after its place in the package."""
    macros: list[tuple[str, str | None]] = [("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")]
    if LINETRACE:
        macros.append(("CYTHON_TRACE", "1"))  # not in nogil code: each line would take the GIL to report itself
    name = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
    native = [str(KERNELS / file) for file in ("kernels.c", "position_features.c")] if name == NETWORK else []
    return Extension(
        name,
        [str(path), *native],
        include_dirs=[numpy.get_include(), str(SOURCE / "vrhcaby" / "_kernels")],
        define_macros=macros,
        depends=HEADERS,
    )


setup(
    ext_modules=[extension(path) for path in sorted(SOURCE.rglob("*.pyx"))],
    cmdclass={"build_ext": BuildExtensions},
)
