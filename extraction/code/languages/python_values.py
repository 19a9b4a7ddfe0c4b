"""What an expression may stand for, as far as resolution needs to know."""

import builtins
from dataclasses import dataclass, field

from extraction.code.facts import Definition, FileFacts


@dataclass(slots=True, eq=False)
class Symbol:
    """A definition of the project. Compared by identity: one for each definition."""

    facts: FileFacts
    index: int
    definition: Definition
    node_id: str
    exposed: set[str] = field(default_factory=set[str])
    lineage: "Lineage | None" = None


@dataclass(frozen=True, slots=True, eq=False)
class Lineage:
    """A class and its ancestors in the order of look-up, itself first, and what it has outside the project."""

    classes: tuple[Symbol, ...]
    builtin_bases: tuple[str, ...]
    outside_bases: tuple[str, ...]
    unknown_base: bool

    @property
    def is_open(self) -> bool:
        """Whether members may come from what can't be seen."""
        return self.unknown_base or bool(self.outside_bases)


@dataclass(frozen=True, slots=True)
class ModuleValue:
    """A module of the project, or a folder without `__init__` (path None)."""

    path: str | None
    folder: str | None


@dataclass(frozen=True, slots=True)
class OutsideValue:
    """Something of an outside package, by its dotted name as far as it was followed."""

    package: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class ClassValue:
    """A class of the project itself."""

    symbol: Symbol


@dataclass(frozen=True, slots=True)
class InstanceValue:
    """An instance of a class of the project."""

    symbol: Symbol


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function or method of the project; `owner` is the class it was reached through."""

    symbol: Symbol
    owner: Symbol | None = None


@dataclass(frozen=True, slots=True)
class SuperValue:
    """What `super()` gives in a method of the class."""

    symbol: Symbol


@dataclass(frozen=True, slots=True)
class ElementsValue:
    """A container whose elements are known."""

    element: "Value"


@dataclass(frozen=True, slots=True)
class BuiltinValue:
    """A builtin function or type (by its name), or an instance of one."""

    name: str
    is_instance: bool = False


@dataclass(frozen=True, slots=True)
class ChoiceValue:
    """Several definitions of one name in alternative branches, in the order of the text."""

    values: "tuple[Value, ...]"


@dataclass(frozen=True, slots=True)
class NoneValue:
    """`None`; says nothing about what a name is otherwise."""


@dataclass(frozen=True, slots=True)
class UnknownValue:
    """What can't be known, and why."""

    reason: str


Value = (
    ModuleValue
    | OutsideValue
    | ClassValue
    | InstanceValue
    | FunctionValue
    | SuperValue
    | ElementsValue
    | BuiltinValue
    | ChoiceValue
    | NoneValue
    | UnknownValue
)

NONE = NoneValue()
UNTYPED = UnknownValue("untyped receiver")
UNKNOWN_NAME = UnknownValue("unknown name")
DYNAMIC = UnknownValue("dynamic callee")
STAR_OUTSIDE = UnknownValue("star import from outside")
NO_ATTRIBUTE = UnknownValue("no such attribute")
SEVERAL = UnknownValue("several types")
INHERITED_OUTSIDE = UnknownValue("inherited from outside")
RETURNED_OUTSIDE = UnknownValue("returned from outside")
NO_MODULE = UnknownValue("no such module")
CYCLE = UnknownValue("circular definition")

# Functions of the standard library that return an object of their own module.
OUTSIDE_FACTORIES = frozenset(
    {
        "logging.getLogger",
        "re.compile",
        "re.match",
        "re.search",
        "re.fullmatch",
        "re.finditer",
        "subprocess.run",
        "json.dumps",
        "time.time",
        "datetime.datetime.now",
        "datetime.datetime.utcnow",
        "sqlite3.connect",
        "hashlib.sha1",
        "hashlib.sha256",
        "hashlib.md5",
        "datetime.date.today",
        "pathlib.Path.cwd",
        "pathlib.Path.home",
        "threading.current_thread",
        "asyncio.get_event_loop",
        "asyncio.get_running_loop",
        "asyncio.create_task",
        "socket.create_connection",
        "io.open",
        "gettext.translation",
    }
)
BUILTIN_RESULTS = {
    **dict.fromkeys(("repr", "input", "format", "chr", "hex", "oct", "bin", "ascii"), "str"),
    **dict.fromkeys(("len", "id", "hash", "ord"), "int"),
    **dict.fromkeys(("any", "all", "isinstance", "issubclass", "callable", "hasattr"), "bool"),
    **dict.fromkeys(("globals", "locals", "vars"), "dict"),
    **dict.fromkeys(("sorted", "dir"), "list"),
    **dict.fromkeys(("open", "round", "abs", "divmod", "print"), ""),
}
PLAIN_BUILTINS = frozenset({"str", "bytes", "int", "float", "bool", ""})
IGNORED_BASES = frozenset({"Generic", "Protocol", "ABC"})

BUILTINS = frozenset(dir(builtins)) | {"reveal_type", "__file__", "__name__", "__doc__", "__path__", "WindowsError"}


def builtin_has(name: str, attribute: str) -> bool:
    """Whether a builtin type has an attribute."""
    return not name or hasattr(getattr(builtins, name, None), attribute)


def is_builtin_type(name: str) -> bool:
    """Whether calling this builtin makes an instance of it."""
    return isinstance(getattr(builtins, name, None), type)
