class E:
    def __init__(self, s):
        self.severity = s


class T(dict):
    def __missing__(self, k):
        return E(
            "warning"
            if k.startswith("HSM07")
            or k in ("HSM0504", "HSM0505", "HSM0510", "HSM0527")
            else "error"
        )


TABLE = T()
