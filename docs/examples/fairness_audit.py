# The page docs/fairness_audit.md is made from this file by `make docs`. Cells begin with "# %%", as notebooks of
# Jupytext do.
# ruff: noqa: B018, E402, T201
# %% [markdown]
# # An audit for fairness
#
# A model predicts which defendants will be charged again within two years. Is it wrong about black people as often as
# about white people? We audit it on people that it has not seen, train one that is held to treat both alike, and look
# at the price. The data is that of ProPublica's investigation, taken because its gap is large and well known.

# %%
from sklearn.model_selection import train_test_split

from rugcore import RUGClassifier, audit, load_demo

demo = load_demo("compas")
people = demo.X[demo.X["race"].isin(["African-American", "Caucasian"])]
who, X, y = people["race"], people.drop(columns="race"), demo.y[people.index]
X_train, X_test, y_train, y_test, who_train, who_test = train_test_split(X, y, who, random_state=0, stratify=y)

settings = {"max_depth": 2, "penalty": 3.0, "max_iter": 5, "solver": "highs"}
model = RUGClassifier(**settings).fit(X_train, y_train)
model.rules_

# %% [markdown]
# ## The audit
#
# It needs the true outcomes, the decisions and the groups, so that it works for any model. Every gap comes with an
# interval and with the people behind it; what rests on too few of them is said to be not estimable.

# %%
found = audit(y_test, model.predict(X_test), sensitive_features=who_test, positive_class=demo.favourable, epsilon=0.05)
found

# %% [markdown]
# All numbers stand in one table too, a number a line; here are the gaps:

# %%
table = found.to_frame()
table.loc[table["measure"].str.endswith("gap"), ["measure", "class", "group", "against", "value", "lower", "upper"]]

# %% [markdown]
# ## A model that is held to it
#
# `FairRUGClassifier` bounds the gap by `epsilon` on the training rows. The groups are needed to train, never to
# predict.

# %%
from rugcore import FairRUGClassifier

fair = FairRUGClassifier(fairness="dmc", epsilon=0.05, **settings)
fair.fit(X_train, y_train, sensitive_features=who_train)
fair.fairness_

# %% [markdown]
# What counts are people that it has not seen. `error_rate_gap` is the audit's gap as a single number, by default for
# DMC:

# %%
from rugcore import error_rate_gap

for name, one in {"RUG": model, "FairRUG": fair}.items():
    gap = error_rate_gap(y_test, one.predict(X_test), sensitive_features=who_test)
    print(f"{name}: gap {gap:.3f}, right about {one.score(X_test, y_test):.1%}, {len(one.rules_)} rules")

# %% [markdown]
# The gap shrinks, but on new people it is not as small as on the training rows, and accuracy pays for it. Nor does it
# always shrink: where the gap is small to begin with, as between women and men in the demo `adult`, holding the
# training rows to less may change nothing on others. Always audit again.
#
# ## The price
#
# The same rules, weighed anew for other bounds; in a notebook the display is a chart of accuracy against gap.

# %%
from rugcore import FairnessFrontierDisplay

display = FairnessFrontierDisplay.from_estimator(
    fair, X_test, y_test, sensitive_features=who_test, epsilons=[0.02, 0.05, 0.1, 0.2]
)
display.to_frame().round(3)

# %% [markdown]
# ## Choosing by accuracy and gap
#
# In cross-validation scikit-learn hands every fold its groups, to `fit` and to the scorer alike. The smaller a
# fold, the larger is the gap that chance alone makes: compare models on the same folds, not a fold with epsilon.

# %%
import sklearn
from sklearn.metrics import make_scorer
from sklearn.model_selection import cross_validate

with sklearn.config_context(enable_metadata_routing=True):
    gap_scorer = make_scorer(error_rate_gap, greater_is_better=False).set_score_request(sensitive_features=True)
    scores = cross_validate(
        FairRUGClassifier(epsilon=0.05, **settings).set_fit_request(sensitive_features=True),
        X_train,
        y_train,
        scoring={"accuracy": "accuracy", "gap": gap_scorer},
        params={"sensitive_features": who_train},
        cv=3,
    )
print(f"accuracy {scores['test_accuracy'].mean():.3f}, gap {-scores['test_gap'].mean():.3f}, mean of three folds")
