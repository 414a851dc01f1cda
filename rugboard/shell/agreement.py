"""How far the rules and SHAP agree about one decision, in a sentence."""

from rugboard.shell.formats import counted
from rugboard.shell.text import listed
from rugcore.comparison import Agreement


def agreement_in_words(found: Agreement) -> str:
    if not found.by_rules:
        return "No rule has a say here, so there is nothing to hold against LightGBM."
    decision = "The decision is the same" if found.same_decision else "They decide differently"
    n_rules, n_shared = len(found.by_rules), len(found.shared)
    rest = f"the rules rest on {counted(n_rules, 'column')}" if n_rules > 1 else "the rules rest on one column"
    top = f"the {found.k} that matter most to LightGBM"
    if not n_shared:
        return f"{decision}; {rest}, none of which is among {top}."
    among = f"which is among {top}" if n_rules == 1 else f"{n_shared} of them among {top}"
    return f"{decision}; {rest}, {among}. {_signs(found)}"


def _signs(found: Agreement) -> str:
    opposed = [name for name in found.shared if name not in found.same_sign]
    if not opposed:
        return "It pushes the same way in both." if len(found.shared) == 1 else "These push the same way in both."
    return f"{listed(opposed)} {'pushes' if len(opposed) == 1 else 'push'} opposite ways."
