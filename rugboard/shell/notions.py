"""The notions of fairness and the guarantees of FairRUG, as the pages call them."""

NOTION_NAMES = {
    "dmc": "Equal mistakes for every outcome",
    "odm": "Equal mistakes overall",
    "eop": "Equal chances for those who qualify",
}
NOTION_CODES = tuple(NOTION_NAMES)
NOTION_HELP = {
    "dmc": "DMC (disparate mistreatment; with two outcomes also called equalised odds): the largest difference between "
    "two groups in the share decided wrongly, within every true outcome.",
    "odm": "ODM (overall disparate mistreatment): the largest difference between two groups in the share decided "
    "wrongly, over all outcomes together.",
    "eop": "EOP (equal opportunity): the largest difference between two groups in the share decided wrongly, among "
    "those with the favourable outcome.",
}
