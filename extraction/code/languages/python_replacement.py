"""Which of a name's definitions and imports are left when later ones have replaced earlier ones."""

from extraction.code.facts import Binding, BindingKind, FileFacts

ACCESSORS = (".setter", ".deleter", ".getter")


def live_bindings(facts: FileFacts, named: list[Binding]) -> list[Binding]:
    """The definitions and imports that later ones at the same or an outer level don't replace."""
    if len(named) == 1:
        return named
    ordered = sorted(named, key=lambda binding: _position(facts, binding))
    plain = [binding for binding in ordered if not _is_accessor(facts, binding)] or ordered
    live: list[Binding] = []
    for place, binding in enumerate(plain):
        later = {other.branch for other in plain[place + 1 :]}
        branch = binding.branch
        while branch >= 0 and branch not in later:
            branch = facts.branches[branch]
        if branch not in later:
            live.append(binding)
    return live


def _position(facts: FileFacts, binding: Binding) -> int:
    if binding.kind == BindingKind.DEFINITION:
        return facts.definitions[binding.index].start
    return facts.imports[binding.index].start


def _is_accessor(facts: FileFacts, binding: Binding) -> bool:
    if binding.kind != BindingKind.DEFINITION:
        return False
    return any(decorator.endswith(ACCESSORS) for decorator in facts.definitions[binding.index].decorators)
