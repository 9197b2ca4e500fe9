"""hsmc, the compiler of hierarchical state-machine specs.

    protocol = hsmc.compile_spec("spec/emp/emp.hsm", check="one_message")

gives the intermediate form (hsmc.ir) or raises hsmc.SpecError, which carries the diagnostics.
"""

from .compiler import compile_spec, load
from .report import Diagnostic, SpecError

# Of the language and its compiler: the first number rises when a spec that compiled may not any more, the second when
# the language, a command or a report gains something.
__version__ = "1.0"

__all__ = ["compile_spec", "load", "Diagnostic", "SpecError", "__version__"]
