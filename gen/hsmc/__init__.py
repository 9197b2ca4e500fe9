"""hsmc, the compiler of hierarchical state-machine specs.

    protocol = hsmc.compile_spec("spec/emp/emp.hsm", check="one_message")

gives the intermediate form (hsmc.ir) or raises hsmc.SpecError, which carries the diagnostics.
"""
