"""Words that mean something named before: which kinds they may mean, and in which order these come to mind."""

import re
from dataclasses import dataclass
from typing import Final


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_PERSON: Final = frozenset({"person"})
_ORGANIZATION: Final = frozenset({"organization"})
_PLACE: Final = frozenset({"location"})
_THINGS: Final = frozenset(
    _words(
        "organization location substance award field event concept technology product algorithm model framework "
        "language"
    )
)
_HEADS: Final = {
    _PERSON: "man woman boy girl person scientist physicist chemist mathematician author writer poet engineer inventor "
    "researcher professor president king queen founder director artist composer doctor",
    _ORGANIZATION: "company firm organization organisation institute institution university agency corporation "
    "association startup foundation bank team",
    _PLACE: "city town village country region state capital island place",
    frozenset({"award"}): "prize award medal",
    frozenset({"event"}): "war battle conference accident disaster",
}
# A prize or an event may well be called that and nothing else; a company or a woman has a name.
_NAMELESS: Final = frozenset({"award", "event"})
_DESCRIPTION: Final = re.compile(r"(?:the|this|that|these|those)\s+(?:\w+\s+)?(\w+)", re.IGNORECASE)
_MIN_WORDS: Final = 2


@dataclass(frozen=True, slots=True)
class Reference:
    """What a word may mean: kinds, those of the first group before those of the next.

    `named`: it may be a name itself.
    """

    groups: tuple[frozenset[str], ...]
    named: bool = False


_NOBODY: Final = Reference(())
_PRONOUNS: Final = {
    **dict.fromkeys(_words("she he her him his hers himself herself"), Reference((_PERSON,))),
    **dict.fromkeys(_words("it its itself this that"), Reference((_THINGS,))),
    **dict.fromkeys(
        _words("they them their theirs themselves these those"), Reference((_ORGANIZATION, _THINGS - _ORGANIZATION))
    ),
    **dict.fromkeys(_words("there here"), Reference((_PLACE,))),
    **dict.fromkeys(
        _words("i me my mine myself we us our ours ourselves you your yours yourself who whom whose which what"),
        _NOBODY,
    ),
}
_INDEFINITE: Final = frozenset(
    _words(
        "everything everyone everybody all nothing nobody none something someone somebody anything anyone anybody one "
        "others other another both each many some several most few"
    )
)
_DESCRIBED: Final = {
    head: Reference((kinds,), bool(kinds & _NAMELESS)) for kinds, heads in _HEADS.items() for head in heads.split()
}


def find_reference(words: str) -> Reference | None:
    """What a pronoun or a description such as `the company` may mean; None for a name.

    Case tells `it` from IT and `us` from US.
    """
    word = words.strip()
    if word.casefold() in _PRONOUNS and word in {word.lower(), word.capitalize()}:
        return _PRONOUNS[word.casefold()]
    match = _DESCRIPTION.fullmatch(word)
    # `The Hague` and `the Open University` are names: of a description nothing but the article is in capitals.
    if match is None or match[0].split(maxsplit=1)[1] != match[0].split(maxsplit=1)[1].lower():
        return None
    return _DESCRIBED.get(match[1])


def is_indefinite(words: str) -> bool:
    """Tell whether the words name nothing in particular, as `everything` does."""
    return words.strip().casefold() in _INDEFINITE
