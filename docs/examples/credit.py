# The page docs/credit.md is made from this file by `make docs`. Cells begin with "# %%", as notebooks of Jupytext do.
# ruff: noqa: B018, E402, T201
# %% [markdown]
# # Reasons for credit decisions
#
# A lender wants to know which applicants will repay, and must be able to say why somebody is refused. We learn a few
# weighted if-then rules from past loans, read them, and look at one applicant.

# %%
from sklearn.model_selection import train_test_split

from rugcore import RUGClassifier, interpretability_report, load_demo

demo = load_demo("credit_data")
X_train, X_test, y_train, y_test = train_test_split(demo.X, demo.y, random_state=0, stratify=demo.y)
print(demo.description)

# %% [markdown]
# The table goes in as it is: numbers, text and blanks. `max_depth` is the most conditions a rule may have; `penalty` is
# the price of a rule against the price of a mistake.

# %%
model = RUGClassifier(max_depth=2, penalty=3.0, max_iter=5, solver="highs").fit(X_train, y_train)
model.rules_

# %% [markdown]
# In a notebook this is a table with a bar for every weight, and `model.rules_.plot()` is a chart. How often is it right
# on loans that it has not seen, and how much is there to read?

# %%
print(f"right about {model.score(X_test, y_test):.1%}; always saying good: {(y_test == 'good').mean():.1%}")
interpretability_report(model, X_test).round(2)

# %% [markdown]
# ## One applicant
#
# Every decision comes with the rules for and against it, and with the values of the applicant that made them hold.

# %%
refused = X_test[model.predict(X_test) == "bad"]
explanation = model.explain(refused.iloc[0])
explanation

# %%
explanation.to_frame()[["side", "rule", "weight"]]

# %% [markdown]
# ## Reasons that are true
#
# A letter needs a few reasons in words. They compare the applicant with the people whom the model decides favourably. A
# column is named only if moving it alone to a value that occurs among them raises the score, and the words say in which
# direction: "is high" means that lower would help. Where nothing is left to name, a person has to decide.

# %%
from rugcore import attribute, reasons_table

reasons_table(model, refused.head(4), positive_class="good", most=3)

# %% [markdown]
# Behind them are exact Shapley values, in closed form over the rules and without sampling. They add up to the score of
# the applicant minus the mean score of those compared with.

# %%
good = X_train[model.predict(X_train) == "good"]
values = attribute(model, refused.head(1), good, towards="bad")
print(values.iloc[0].loc[lambda own: own != 0].sort_values(ascending=False).round(2).to_string())
difference = explanation.score["bad"] - model.decisions(good).scores[:, list(model.classes_).index("bad")].mean()
print(f"together {values.iloc[0].sum():.2f}; difference in score {difference:.2f}")

# %% [markdown]
# ## Many applicants
#
# The same for a whole table: the decision, how clear it is, and whether a default decided because no rule covers the
# row or because the rules for two outcomes weigh the same.

# %%
model.decisions(X_test).to_frame().head(4)

# %% [markdown]
# ## Fewer rules
#
# A new price is a new solve of the linear program that is kept, not a new training.

# %%
stricter = model.refit(penalty=15.0)
print(f"{len(model.rules_)} rules, right about {model.score(X_test, y_test):.1%}")
print(f"{len(stricter.rules_)} rules, right about {stricter.score(X_test, y_test):.1%}")

# %% [markdown]
# ## Are the shares honest?
#
# scikit-learn tells how what `predict_proba` says compares with what happened; where matplotlib is installed,
# `CalibrationDisplay.from_estimator(model, X_test, y_test, pos_label="good")` draws it.

# %%
from sklearn.calibration import calibration_curve

said_to_be_good = model.predict_proba(X_test)[:, list(model.classes_).index("good")]
happened, predicted = calibration_curve(y_test == "good", said_to_be_good, n_bins=3)
for said, was in zip(predicted, happened, strict=True):
    print(f"said to be good: {said:.2f}; were good: {was:.2f}")
