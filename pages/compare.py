"""Compare: a place in the navigation for what is still to come."""

from ui import page


@page.guarded
def main() -> None:
    page.title("Compare", "The rules against other kinds of model: accuracy, fairness, size and time.")
    page.empty_state(
        "This page is still to come. It will set RUG and FairRUG beside logistic regression, trees, forests and "
        "LightGBM. Until then, the page Train compares RUG with FairRUG.",
        page.TRAIN,
        "Go to Train",
        ":material/construction:",
    )


main()
