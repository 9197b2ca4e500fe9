"""hsmc, the compiler of hierarchical state-machine specs.

    protocol = hsmc.compile_spec("spec/emp/emp.hsm", check="one_message")

gives the intermediate form (hsmc.ir) or raises hsmc.SpecError, which carries the diagnostics.
"""

from .compiler import compile_spec, load
from .report import Diagnostic, SpecError

__all__ = ["compile_spec", "load", "Diagnostic", "SpecError"]
