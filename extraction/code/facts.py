"""What one source file says by itself: small, frozen, and cheap to send between processes as MessagePack.

Offsets count characters of the decoded text, ends excluded; lines count from 1. Lists hold each thing in the
order of its place in the file, and things refer to each other by their index.
"""

from enum import IntEnum

import msgspec


class ScopeKind(IntEnum):
    """What opens a scope of names."""

    MODULE = 0
    CLASS = 1
    FUNCTION = 2
    LAMBDA = 3
    COMPREHENSION = 4


class BindingKind(IntEnum):
    """How a name gets what it stands for; says how to read a binding's `expression`."""

    VALUE = 0
    ANNOTATION = 1
    ELEMENT = 2
    ENTERED = 3
    CAUGHT = 4
    UNKNOWN = 5
    DEFINITION = 6
    IMPORT = 7
    INSTANCE = 8
    OWN_CLASS = 9


class UseKind(IntEnum):
    """What a use of a name is."""

    CALL = 0
    REFERENCE = 1
    DECORATOR = 2
    BASE = 3


class DefinitionKind(IntEnum):
    """What a definition makes."""

    CLASS = 0
    FUNCTION = 1
    METHOD = 2


class Binding(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One way in which a name of a scope gets its value.

    `scope` is where `expression` is to be read; `branch` is the alternative it stands in (an index into
    `FileFacts.branches`, -1 outside any); `index` points at a definition or an import.
    """

    kind: BindingKind
    expression: str
    scope: int
    branch: int = -1
    index: int = -1


class Scope(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A scope with the names it binds. `fields` are those that a class's methods set on `self` or `cls`.

    `parent` is -1 for the module; `definition` is -1 for scopes that no definition opens.
    """

    kind: ScopeKind
    parent: int
    definition: int
    names: dict[str, list[Binding]]
    fields: dict[str, list[Binding]]
    declared_global: list[str]


class Definition(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A class, function or method.

    `start` and `end` are the header's span, from `def` or `class` to the colon; `line_start` and `line_end` the
    whole definition without its decorators. `exposed` are the reasons that the file alone gives.
    """

    kind: DefinitionKind
    name: str
    qualified_name: str
    scope: int
    own_scope: int
    start: int
    end: int
    line_start: int
    line_end: int
    signature: str
    description: str
    returns: str
    decorators: list[str]
    exposed: list[str]


class Import(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One imported name. `name` is empty for `import module`, `*` for a star import; `module` keeps its dots."""

    module: str
    name: str
    alias: str
    scope: int
    start: int
    end: int
    line_start: int
    line_end: int


class Use(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A use of a name in an expression.

    `definition` is the decorated one, the class that has the base, or the one whose header a reference is in.
    """

    kind: UseKind
    scope: int
    expression: str
    start: int
    end: int
    line_start: int
    line_end: int
    definition: int = -1


class SegmentStart(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Where a segment begins; it ends where the next one begins."""

    offset: int
    line: int


class FileFacts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """All that one file says. `exports` is None without an `__all__`; `exports_of` are modules whose own it adds.

    `first_line` is the span and line of the first line that is not blank: the mention of the module itself.
    """

    path: str
    length: int
    description: str
    first_line: tuple[int, int, int]
    line_count: int
    has_errors: bool
    segments: list[SegmentStart]
    scopes: list[Scope]
    branches: list[int]
    definitions: list[Definition]
    imports: list[Import]
    uses: list[Use]
    exports: list[str] | None
    exports_of: list[str]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(FileFacts)


def encode_facts(facts: FileFacts) -> bytes:
    """Facts as MessagePack."""
    return _encoder.encode(facts)


def decode_facts(data: bytes) -> FileFacts:
    """Facts from MessagePack. Raises msgspec.DecodeError when the bytes are not facts of this version."""
    return _decoder.decode(data)


def find_facts(data: bytes) -> FileFacts | None:
    """Facts from MessagePack that may be of another version or damaged: None then."""
    try:
        return decode_facts(data)
    except msgspec.DecodeError:
        return None
