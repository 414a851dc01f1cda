"""RUG beside other kinds of model: how good, how fair, how large, and whether the reasons agree."""

from rugcore.comparison.agreement import Agreement, AgreementSample, agreement, agreement_over
from rugcore.comparison.binoct import BinOCTClassifier
from rugcore.comparison.boolean_rules import BooleanRulesClassifier
from rugcore.comparison.differences import Differences, differences
from rugcore.comparison.fair_peers import EPSILONS as ALTERNATIVE_EPSILONS
from rugcore.comparison.fair_peers import FairAlternative, fair_alternatives, n_alternatives
from rugcore.comparison.importance import global_importance, rule_importance, shap_sample
from rugcore.comparison.optimal_trees import GOSDTClassifier, STreeDClassifier
from rugcore.comparison.pairs import Paired, not_clearly_worse, paired
from rugcore.comparison.peers import PEERS, PeerClassifier, default_peers
from rugcore.comparison.race import ModelRow, Step, compare, comparison_table, measure_decisions
from rugcore.comparison.shapley import ShapExplainer, ShapSample
from rugcore.comparison.sizes import unit_of
from rugcore.comparison.tree_rules import TreeRulesClassifier
from rugcore.explanations.attributions import RuleExplainer
from rugcore.explanations.shap_values import Contribution, ShapExplanation

__all__ = [
    "ALTERNATIVE_EPSILONS",
    "PEERS",
    "Agreement",
    "AgreementSample",
    "BinOCTClassifier",
    "BooleanRulesClassifier",
    "Contribution",
    "Differences",
    "FairAlternative",
    "GOSDTClassifier",
    "ModelRow",
    "Paired",
    "PeerClassifier",
    "RuleExplainer",
    "STreeDClassifier",
    "ShapExplainer",
    "ShapExplanation",
    "ShapSample",
    "Step",
    "TreeRulesClassifier",
    "agreement",
    "agreement_over",
    "compare",
    "comparison_table",
    "default_peers",
    "differences",
    "fair_alternatives",
    "global_importance",
    "measure_decisions",
    "n_alternatives",
    "not_clearly_worse",
    "paired",
    "rule_importance",
    "shap_sample",
    "unit_of",
]
