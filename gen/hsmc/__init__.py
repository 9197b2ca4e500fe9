# SPDX-License-Identifier: MIT
"""hsmc, the compiler of hierarchical state-machine specs.

    protocol = hsmc.compile_spec("spec/emp/emp.hsm", check="one_message")

gives the intermediate form (hsmc.ir) or raises hsmc.SpecError, which carries the diagnostics.
"""

try:
    from .compilation.compiler import compile_spec, load
    from .report import Diagnostic, SpecError
except ModuleNotFoundError as error:
    from .missing_packages import missing_package

    message = missing_package(error)
    if message is None:
        raise
    raise ModuleNotFoundError(message, name=error.name) from None

# Of the language and its compiler: the first number rises when a spec that compiled may not any more, the second when
# the language, a command or a report gains something.
__version__ = "1.0"

__all__ = ["compile_spec", "load", "Diagnostic", "SpecError", "__version__"]
