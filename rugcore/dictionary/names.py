"""What the name of a column says about it: whole words, in a few languages, and nothing that is only guessed.

`mortgage` and `usage` say nothing of age, and `essex` nothing of sex. Accents do not matter.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np

from rugcore.tables.name_words import JOINTS, parts_of, words_of

Topic = Literal[
    "sex",
    "race",
    "origin",
    "religion",
    "family",
    "age",
    "disability",
    "pregnancy",
    "politics",
    "union",
    "service",
    "assistance",
    "name",
    "place",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# English, German, French, Spanish, Dutch, Turkish.
PROTECTED: Mapping[Topic, frozenset[str]] = {
    "sex": _words(
        "sex gender female male woman women geschlecht weiblich mannlich maennlich frau sexe femme homme sexo "
        "genero mujer hombre geslacht vrouw cinsiyet kadin erkek gndr gend gendr pronouns transgender "
        "salutation anrede civilite aanhef"
    ),
    "race": _words(
        "race racial ethnic ethnicity african hispanic hispan latino latina caucasian rasse ethnie ethnisch "
        "hautfarbe raza etnia etnico etnisch etniciteit huidskleur etnik ethn hisp afam minority minorities caste"
    ),
    "origin": _words(
        "nationality nation native origin citizen citizenship foreign foreigner immigrant immigration migrant "
        "refugee birthplace nationalitat nationalitaet staatsangehorigkeit staatsangehoerigkeit "
        "staatsburgerschaft auslander auslaender herkunft migrationshintergrund geburtsland geburtsort "
        "nationalite etranger nacionalidad extranjero nationaliteit herkomst geboorteland uyruk yabanci "
        "natnlty ntnlty ctzn language languages sprache muttersprache langue idioma moedertaal"
    ),
    "religion": _words(
        "religion religious church muslim christian jewish konfession kirche kirchensteuer religieux iglesia "
        "godsdienst geloof mezhep"
    ),
    "family": _words(
        "marital married marriage maritalstatus spouse husband wife divorced widow widowed matrimonial children "
        "child kids dependents dependants deps ndep ndeps numdep numdeps "
        "familienstand zivilstand verheiratet ledig ehe kinder enfants enfant "
        "celibataire casado casada soltero soltera hijos gehuwd kinderen medeni evli cocuk mstat marst marstat "
        "maritl mrtl nkids nchild nchildren parental maternity paternity elternzeit mutterschutz"
    ),
    "age": _words(
        "age birth birthday birthdate birthyear dob yob dateofbirth alter lebensalter geburtsdatum geburtsjahr "
        "geburtstag naissance edad nacimiento leeftijd geboortedatum geboortejaar yas dogum"
    ),
    "disability": _words(
        "disability disabled handicap handicapped behinderung behindert schwerbehindert discapacidad minusvalia "
        "beperking gehandicapt engelli sick sickness illness krankheit krankheitstage krankentage "
        "maladie enfermedad ziekte"
    ),
    "pregnancy": _words(
        "pregnant pregnancy pregnancies schwanger schwangerschaft enceinte grossesse embarazo embarazada zwanger hamile"
    ),
    "politics": _words("political politics"),
    "union": _words("gewerkschaft syndicat sindicato vakbond sendika"),
    "service": _words("veteran veterans"),
    "assistance": _words("welfare sozialhilfe burgergeld"),
    "name": _words(
        "firstname forename surname lastname fullname vorname nachname prenom apellido apellidos voornaam "
        "achternaam soyad"
    ),
    "place": _words("zip zipcode postcode postal postalcode plz postleitzahl neighbourhood neighborhood tract"),
}
# Words that say so only together, or only if nothing else is said.
PHRASES: Mapping[str, Topic] = {
    "civil status": "family",
    "estado civil": "family",
    "etat civil": "family",
    "situation familiale": "family",
    "burgerlijke staat": "family",
    "sexual orientation": "sex",
    "date of birth": "age",
    "relationship status": "family",
    **dict.fromkeys(("family size", "size of family", "family members"), "family"),
    **dict.fromkeys(("health status", "health condition", "medical condition"), "disability"),
    **dict.fromkeys(("post code", "post cd", "zip cd"), "place"),
    "mother tongue": "origin",
    **dict.fromkeys(("union member", "union membership", "trade union", "labor union", "labour union"), "union"),
    **dict.fromkeys(("public assistance", "social assistance", "food stamps"), "assistance"),
    **dict.fromkeys(("first name", "last name", "given name", "family name", "full name", "maiden name"), "name"),
    **dict.fromkeys(("provide maintenance", "being liable", "people liable", "persons liable"), "family"),
    **dict.fromkeys(("num dep", "number dep", "nr dep", "no dep", "no of dep", "number of dep"), "family"),
    **dict.fromkeys(("dependent count", "dependent children", "number of dependent"), "family"),
}
ALONE: Mapping[str, Topic] = {
    **dict.fromkeys(("single", "relationship", "partner"), "family"),
    **dict.fromkeys(("black", "white", "ras", "irk"), "race"),
    "old": "age",
    "lang": "origin",
    "union": "union",
    "health": "disability",
    "family": "family",
}
# With one of these the word is about a thing, and no person: the age of an account, foreign currency.
ABOUT_THINGS: Mapping[Topic, frozenset[str]] = {
    "age": _words(
        "account accounts loan loans vehicle car building house home property credit file trade trades line lines "
        "policy contract company business firm equipment machine debt average oldest newest mortgage card"
    ),
    "origin": _words("exchange currency trade bank banks loan channel programming software website interface"),
    "family": _words("company policy"),
    "sex": _words("offender"),
    "disability": _words("insurance policy cover"),
    "race": _words("interest interests shareholder shareholders"),
}
IN_WORDS: Mapping[Topic, str] = {
    "sex": "sex",
    "race": "race or ethnic origin",
    "origin": "where somebody comes from",
    "religion": "religion",
    "family": "marital status or family",
    "age": "age",
    "disability": "health or disability",
    "pregnancy": "pregnancy",
    "politics": "political opinion",
    "union": "membership in a trade union",
    "service": "military service",
    "assistance": "public assistance",
    "name": "what somebody is called, and so sex and origin",
    "place": "where somebody lives, which may stand for a group of people",
}
TOPIC_OF = {word: topic for topic, words in PROTECTED.items() for word in words}

PAST = _words(
    "past previous previously prior priors history historical ever earliest oldest bankrupt bankruptcy bankruptcies "
    "default defaults defaulted delinquency delinquencies delinquent delinq delq late missed denied rejected refused "
    "foreclosure foreclosures judgment judgments chargeoff chargeoffs convicted conviction convictions arrest "
    "arrests felony felonies misdemeanor misdemeanors offence offences offense offenses juvenile derogatory derog "
    "pubrec ccj ccjs lien liens inquiries inquiry inq enquiries enquiry enq enqs dlq dlqs "
    "insolvenz insolvenzen zahlungsverzug zahlungsausfall mahnung mahnungen impaye impayes faillite moroso "
    "morosidad quiebra betalingsachterstand faillissement iflas gecikme"
)
# These can still be put right.
NOT_YET_PAST = _words("current currently now due")
PAST_DUE = "past due"
COUNTED = _words("time times number num count often")  # how often it was so, which stays
# With such a word 0 and 1 are numbers of something, and no answers.
HOW_MANY = COUNTED | _words(
    "no nr n total sum amount accounts lines trades months years days liens ccjs collections bankruptcies "
    "delinquencies inquiries enquiries"
)
# What happened in so many months before the application is over, and so is the time since it last happened.
HAPPENED = _words("searches search opened applications worst status dpd collections failed returned bounced")
SINCE_LAST = ("since last", "since recent", "since most recent", "since latest")
# "last 12 months" is over, "the last one" need not be.
SHORT = 2  # letters of a period that is written right behind its number
PERIODS = _words("y yr yrs year years m mth mths month months d day days week weeks quarter quarters")

HELPS = _words(
    "income salary wage wages earnings savings assets wealth networth equity fico creditscore score einkommen "
    "gehalt vermogen vermoegen ersparnisse revenu revenus salaire epargne ingresos salario ahorros inkomen loon "
    "spaargeld gelir maas birikim"
)
HARMS = _words(
    "late missed overdue arrears delinquency delinquencies delinquent delinq delq default defaults defaulted "
    "bankrupt burden derog pubrec bankruptcy bankruptcies inquiries inquiry inq debt debts chargeoff chargeoffs "
    "derogatory ccj ccjs lien liens enquiries enquiry enq enqs dlq dlqs unemployment "
    "collections judgments foreclosures utilization utilisation dti ltv lti pti convictions arrests "
    "offences offenses felonies misdemeanors schulden mahnungen zahlungsverzug dettes impayes deudas schuld "
    "achterstand borc gecikme"
)
TIME = _words("years months year yrs time length duration")
WORK = _words("employed employment job work working tenure")
TO_INCOME, TO_VALUE = "to income", "to value"  # a loan, payments or whatever: what is to be borne
# appinc, atotinc, hhinc and Nettoeinkommen are incomes.
INCOME_IN_SHORT = re.compile(r"(?!zinc)[a-z]*inc|[a-z]+einkommen")
# "debt to income" and the like are burdens, whatever stands before or behind.
BURDENS = _words("ratio to debt payment payments expense expenses burden share rate")
# More time since something bad, or never, is better.
TURNED_ROUND = _words("since never no without satisfactory")
# A score of risk, a change, a wish, a way to check it, or that there is none: not the amount itself.
NOT_THE_AMOUNT = _words(
    "risk fraud churn attrition propensity percent hike change loss drop decline volatility variance std deviation "
    "expected desired requested expectation tax missing unknown unverified unverifiable undocumented verification "
    "source type"
)
# Beside one of these an income may be what an amount is divided by: of amt_inc nobody can tell which way is better.
DIVIDED = _words("loan credit mortgage rent price cost instalment installment emi premium spend spending")
AMOUNT_IN_SHORT = _words("amt amnt amount")


@dataclass(frozen=True)
class ProtectedName:
    """The word in a name that stands for something protected."""

    word: str
    topic: Topic

    @property
    def stands_for(self) -> str:
        """What it stands for, in words."""
        return IN_WORDS[self.topic]


def protected_by_name(name: str) -> ProtectedName | None:
    """What decisions about people may usually not rest on, as far as the name tells."""
    words = words_of(name)
    text = f" {' '.join(words)} "
    if len(words) == 1 and words[0] in ALONE:
        return ProtectedName(words[0], ALONE[words[0]])
    for phrase, topic in PHRASES.items():
        if f" {phrase} " in text:
            return ProtectedName(phrase, topic)
    for word in words:
        if word in TOPIC_OF and not ABOUT_THINGS.get(TOPIC_OF[word], frozenset()) & set(words):
            return ProtectedName(word, TOPIC_OF[word])
    return None


# Forms of address, and words for women and men, by which values tell the sex; titles that tell nothing.
SEX_IN_VALUES = _words(
    "mr mrs ms miss mister madam sir herr frau monsieur madame mme mlle senor senora senorita dhr mevr mevrouw bay "
    "bayan male female man woman"
)
TELL_NOTHING = _words("dr prof professor rev other unknown none mx na nan not stated")
MARRIED, NOT_MARRIED = _words("married"), _words("single unmarried divorced separated widowed widow never")
# Values that speak of a group, and those among them that speak of nothing else: a car may be white or black, too.
GROUPS_IN_VALUES: Mapping[Topic, tuple[frozenset[str], frozenset[str]]] = {
    "race": (
        _words(
            "white black asian hispanic latino latina latinx caucasian african native indian pacific mixed multiracial"
        ),
        _words("asian hispanic latino latina latinx caucasian african multiracial"),
    ),
    "religion": (
        _words("muslim christian jewish hindu buddhist sikh catholic protestant orthodox atheist islam christianity"),
        _words("muslim christian jewish hindu buddhist sikh catholic protestant islam christianity"),
    ),
    "origin": (
        _words(
            "english spanish french german italian portuguese dutch polish russian ukrainian turkish arabic chinese "
            "mandarin hindi urdu bengali vietnamese korean japanese romanian greek deutsch turkisch polnisch russisch "
            "arabisch italienisch spanisch franzosisch englisch griechisch ukrainisch syrisch"
        ),
        _words(
            "spanish portuguese polish russian ukrainian turkish arabic chinese mandarin hindi urdu bengali vietnamese "
            "korean romanian turkisch polnisch russisch arabisch griechisch ukrainisch syrisch"
        ),
    ),
}
MOST_DEPENDENTS = 15
MOST_KINDS = 12  # values of a column that are looked at


def is_number_of_dependents(name: str, numbers: np.ndarray) -> bool:
    """Whether "dep" is short for dependents: whole numbers, as many as a family may have."""
    is_few = np.isin(numbers[np.isfinite(numbers)], np.arange(MOST_DEPENDENTS + 1))
    return words_of(name) == ["dep"] and len(is_few) > 0 and bool(is_few.all())


def protected_by_values(values: Collection[str]) -> ProtectedName | None:
    """What decisions may usually not rest on, where every value of a column says so whatever its name is."""
    known = [words for value in values if (words := set(words_of(value))) and not words <= TELL_NOTHING]
    if not 2 <= len(known) <= MOST_KINDS:
        return None
    if all(words & SEX_IN_VALUES for words in known):
        told = sorted({word for words in known for word in words & SEX_IN_VALUES})
        return ProtectedName(", ".join(told), "sex") if len(told) > 1 else None
    if all(words & (MARRIED | NOT_MARRIED) for words in known) and any(words & MARRIED for words in known):
        told = sorted({word for words in known for word in words & (MARRIED | NOT_MARRIED)})
        return ProtectedName(", ".join(told), "family") if len(told) > 1 else None
    return _group_in_values(known)


def _group_in_values(known: Sequence[set[str]]) -> ProtectedName | None:
    """What every value says of race, religion or origin, where at least one can mean nothing else."""
    for topic, (groups, plain) in GROUPS_IN_VALUES.items():
        told = sorted({word for words in known for word in words & groups})
        if len(told) > 1 and all(words & groups for words in known) and any(words & plain for words in known):
            return ProtectedName(", ".join(told), topic)
    return None


def past_by_name(name: str) -> str | None:
    """The word that says that the column tells of the past, if there is one; what is due now can still be paid."""
    words = words_of(name)
    if PAST_DUE in " ".join(words):
        return PAST_DUE if set(words) & COUNTED else None
    if set(words) & NOT_YET_PAST:
        return None
    over = _period_over(name)
    if over is not None and over.startswith("last "):
        return over
    said = next((word for word in words if word in PAST), None)
    return said or over or next((phrase for phrase in SINCE_LAST if phrase in " ".join(words)), None)


def _period_over(name: str) -> str | None:
    """As it is written: "last 12m", "last year", or "24m" beside a word for what happened."""
    parts = parts_of(name)
    for place, part in enumerate(parts):
        if part == "last" and parts[place + 1 : place + 2] and parts[place + 1] in PERIODS:
            return f"last {parts[place + 1]}"
    for place, (number, period) in enumerate(pairwise(parts)):
        if not number.isdigit() or period not in PERIODS:
            continue
        written = f"{number} {period}" if len(period) > SHORT else f"{number}{period}"
        if place and parts[place - 1] == "last":
            return f"last {written}"
        if set(parts) & HAPPENED:
            return written
    return None


@dataclass(frozen=True)
class NamedEffect:
    """The word that says what more of a column should do for the favourable outcome."""

    word: str
    effect: Literal["helps", "harms"]


# What people have to bear: that those who bear more do better is no reason to ask for more of it.
BORNE = _words(
    "rent rents mortgage instalment instalments installment installments payment payments pymnt apr interest rate "
    "rates miete hypothek loyer alquiler huur kira taksit"
)


def may_help(name: str) -> bool:
    """Whether it makes sense that more of it helps, where only the rows say so."""
    return not set(words_of(name)) & BORNE


def effect_by_name(name: str) -> NamedEffect | None:
    """What more of it should do, as far as the name tells."""
    words = words_of(name)
    known = set(words)
    phrases = [phrase for phrase in (PAST_DUE, TO_INCOME, TO_VALUE) if f" {phrase} " in f" {' '.join(words)} "]
    harming = next(iter(phrases), None) or next((word for word in words if word in HARMS), None)
    if harming:
        return NamedEffect(harming, "helps" if known & TURNED_ROUND else "harms")
    if known & WORK and (known & TIME or "since" in known) and "last" not in known:
        return NamedEffect(next(word for word in words if word in WORK), "helps")
    helping = next((word for word in words if word in HELPS or INCOME_IN_SHORT.fullmatch(word)), None)
    if helping is None or "since" in known or known & NOT_THE_AMOUNT or _may_be_divided(helping, known):
        return None
    if known & BURDENS:
        return NamedEffect("ratio", "harms") if {"income", "ratio"} <= known else None
    return NamedEffect(helping, "helps")


def _may_be_divided(helping: str, known: set[str]) -> bool:
    """Whether the name may be that of a ratio: loan_income, or amt_inc, but not the amount of an income."""
    in_short = INCOME_IN_SHORT.fullmatch(helping) is not None
    divided = DIVIDED | AMOUNT_IN_SHORT if in_short else DIVIDED
    return (in_short or helping == "income") and bool(known & divided)


# What was done, for names that say what to do.
DONE: Mapping[str, str] = {
    "approve": "approved",
    "accept": "accepted",
    "grant": "granted",
    "admit": "admitted",
    "hire": "hired",
    "deny": "denied",
    "reject": "rejected",
    "decline": "declined",
    "refuse": "refused",
    "default": "defaulted",
    "repay": "repaid",
    "pay": "paid",
    "churn": "churned",
    "renew": "renewed",
    "cancel": "cancelled",
    "survive": "survived",
    "convert": "converted",
    "respond": "responded",
    "promote": "promoted",
}
STATES = _words("good bad paid repaid unpaid sold left won lost late sick ill alive dead overdue current")


def as_done(words: str) -> str | None:
    """An outcome as it is said of a person: "approve" is "approved"; None where "not" before it makes no sense."""
    *before, last = words.split() or [""]
    done = DONE.get(last.lower(), last)
    is_state = last.lower() in STATES or (done.lower().endswith("ed") and len(done) > len("need"))
    return " ".join([*before, done]) if is_state or last.lower() in DONE else None


RUN_TOGETHER = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")


def tidied(name: str) -> str:
    """The name in words, nothing guessed: "MSinceMostRecentDelq" is "M since most recent delq".

    Words that stand apart already keep their capitals ("Laufzeit in Monaten"), and a number its place ("x7").
    """
    parted = JOINTS.sub(" ", name) if RUN_TOGETHER.search(name) else name
    words, are_apart = [word for word in re.split(r"[\s_]+", parted) if word], " " in name.strip()
    is_kept = [n == 0 or are_apart or any(letter.isupper() for letter in word[1:]) for n, word in enumerate(words)]
    return " ".join(word if kept else word.lower() for word, kept in zip(words, is_kept, strict=True))
