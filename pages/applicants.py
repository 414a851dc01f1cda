"""Applicants: a place in the navigation for what is still to come."""

from ui import page


@page.guarded
def main() -> None:
    page.title("Applicants", "One applicant at a time: the decision, its reasons, and what would change it.")
    page.empty_state(
        "This page is still to come. It will find an applicant and show the reasons beside those of a black-box model. "
        "Until then, the page Start explains one decision.",
        page.START,
        "Go to Start",
        ":material/construction:",
    )


main()
