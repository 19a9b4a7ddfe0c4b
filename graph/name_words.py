"""Words that stand in names without telling them apart, and those that do."""

import re
from typing import Final

from graph.folding import fold_letters


def _words(text: str) -> frozenset[str]:
    return frozenset(fold_letters(word) for word in text.split())


FEMALE_TITLES: Final = _words("mrs ms miss dame lady queen princess frau madame mme mlle señora sister")
MALE_TITLES: Final = _words("mr sir lord king prince herr monsieur señor father brother")
TITLES: Final = (
    FEMALE_TITLES
    | MALE_TITLES
    | _words(
        """dr doctor prof professor mx rev reverend hon capt captain col colonel gen general lt lieutenant sgt sergeant
        maj major rear adm admiral president senator judge justice saint pope emperor empress dipl ing dott docteur
        доктор профессор академик господин госпожа"""
    )
)
"""Words before a person's name; folded."""

DEGREES: Final = _words("phd dphil md dds esq mba msc bsc ba ma jd llm frs obe cbe kbe mbe")
"""Words after a person's name; folded."""

GENERATIONS: Final = _words("jr sr junior senior")
"""Words after a person's name that tell it from another."""

HONORIFICS: Final = ("さん", "先生", "教授", "博士", "氏", "女士", "씨", "님")
"""Ends of a person's name in scripts without blanks."""

ORDINALS: Final = {
    "first": "I",
    "second": "II",
    "third": "III",
    "fourth": "IV",
    "fifth": "V",
    "sixth": "VI",
    "seventh": "VII",
}
"""Words that count events, with the numeral that does so after their names."""

ROMAN_NUMERAL: Final = re.compile(r"[ivxlcdm]+")

ARTICLES: Final = frozenset({"the"})
AND_WORDS: Final = frozenset({"&", "and", "und", "et", "och", "og"})
SMALL_WORDS: Final = _words(
    """of the and for in on to at by with a an de la le les des du el los las del y e et und der die das für von zu
    и в на по"""
)
"""Words that acronyms leave out; folded."""

COMPANY_FORMS: Final = {
    form: forms.split()[0]
    for forms in (
        "inc incorporated",
        "corp corporation",
        "co company",
        "ltd limited",
        "llc",
        "llp",
        "lp",
        "plc",
        "gmbh",
        "ag aktiengesellschaft",
        "kg",
        "se",
        "sa",
        "sas",
        "sarl",
        "srl",
        "spa",
        "bv",
        "nv",
        "oy",
        "oyj",
        "ab",
        "as",
        "asa",
        "aps",
        "kk",
        "pty",
        "pvt private",
        "ооо",
        "зао",
        "оао",
        "пао",
        "ао",
    )
    for form in forms.split()
}
"""Legal forms of companies, folded, each with its short one."""

FRONT_FORMS: Final = _words("ооо зао оао пао ао")
"""Legal forms that stand before the name."""

ASIAN_FORMS: Final = ("股份有限公司", "有限责任公司", "有限責任公司", "有限公司", "株式会社", "(株)", "주식회사")
"""Legal forms in scripts without blanks; longest first."""

SAME_WORDS: Final = {
    "centre": "center",
    "theatre": "theater",
    "labour": "labor",
    "colour": "color",
    "behaviour": "behavior",
    "defence": "defense",
    "programme": "program",
    "catalogue": "catalog",
    "modelling": "modeling",
    "grey": "gray",
    "harbour": "harbor",
    "st": "saint",
    "mt": "mount",
    "ft": "fort",
    "univ": "university",
    "dept": "department",
    "inst": "institute",
    "intl": "international",
    "natl": "national",
    "assn": "association",
    "assoc": "association",
    "bros": "brothers",
    "govt": "government",
}
"""Spellings and abbreviations of one word, folded; `organisation` is handled by its ending."""
