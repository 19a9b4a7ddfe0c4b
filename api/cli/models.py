"""`cogniverse models`: the models that read documents."""

import asyncio
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.table import Table
from rich.text import Text

from api.cli.options import AsJson
from api.cli.outcome import ExitCode, reported
from api.cli.terminal import Terminal, is_quiet, make_table
from api.config import Settings, load_settings
from api.modelling import Models, embedding_options, entity_options
from graph.errors import CogniverseError, InvalidInput, NotFound

if TYPE_CHECKING:
    from extraction.models.fetching import FetchStep
    from extraction.models.states import Holding, Need

_MEGABYTE: Final = 1_000_000
_PORT: Final = 8_100
_SHUTDOWN_S: Final = 5
_SENTENCE: Final = "Marie Curie was born in Warsaw in 1867."

app = typer.Typer(no_args_is_help=True, help="Look after the models that read documents.")
Name = Annotated[
    str | None,
    typer.Argument(
        metavar="[NAME]",
        help="A model, or what it is for: entity, embedding, rerank, claims. By default all that the settings name.",
        show_default=False,
    ),
]


@app.command("list")
@reported
def list_models(as_json: AsJson = False) -> None:
    """Show the models that the settings name, where they lie, and whether they can be used."""
    from extraction.models.states import look_up
    from extraction.models.store import models_dir

    settings = load_settings()
    holdings = look_up(_list_needs(settings), models_dir(settings.cache_dir))
    terminal = Terminal()
    if as_json:
        terminal.print_json({"models": holdings})
    else:
        terminal.print(_render_holdings(holdings))


@app.command()
@reported
def fetch(name: Name = None, as_json: AsJson = False) -> None:
    """Fetch the weights of models from the hub; what stopped half-way goes on."""
    from extraction.models.fetching import fetch_model
    from extraction.models.store import find_model, models_dir

    settings, terminal = load_settings(), Terminal()
    root = models_dir(settings.cache_dir)
    _set_bars(terminal)
    fetched: dict[str, str] = {}
    for need in _choose_fetched(_list_needs(settings), name):
        if need.form is None:
            continue
        folder = None if name else find_model(need.model, root, wanted=need.wanted)
        if folder is None:
            folder = fetch_model(need.model, root, form=need.form, on_step=lambda step: _say(terminal, step))
            terminal.note(Text(f"{need.model} is complete in {folder}", "green"))
        fetched[need.model] = str(folder)
    if as_json:
        terminal.print_json({"fetched": fetched})
    elif not fetched:
        terminal.note("The settings name no model that could be fetched.")
    else:
        terminal.print(make_table(list(fetched.items())))


@dataclass(frozen=True, slots=True)
class Trial:
    """How a model did on a sentence."""

    role: str
    model: str
    ok: bool
    seconds: float
    result: str


@app.command()
@reported
def check(name: Name = None, as_json: AsJson = False) -> None:
    """Load each model and have it read a sentence; exit code 1 when one can't."""
    settings, terminal = load_settings(), Terminal()
    needs = [need for need in _list_needs(settings) if name in (None, need.role, need.model)]
    if not needs:
        raise NotFound(f"The settings name no model {name!r}: `cogniverse models list` shows them.")
    models = Models(settings)
    tried = [_try(need, models) for need in needs if need.engine != "off"]
    if as_json:
        terminal.print_json({"models": tried})
    elif tried:
        terminal.print(_render_trials(tried))
    else:
        terminal.note("The settings turn that off: nothing was tried.")
    if not all(trial.ok for trial in tried):
        raise typer.Exit(ExitCode.ERROR)


@app.command()
@reported
def serve(
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen on; others than this machine's are warned of.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65_535, help="Port, 0 for a free one.")] = _PORT,
) -> None:
    """Serve entities and vectors to other processes, which name this one in COGNIVERSE_MODELS_URL."""
    import uvicorn

    from api.auth.loopback import is_loopback
    from api.sidecar import Sidecar, create_sidecar
    from extraction.entities.engines import load_model

    settings, terminal = load_settings(), Terminal()
    options = entity_options(settings)
    model = None if options.engine in ("off", "sidecar") else load_model(options)
    sidecar = Sidecar(options, model, _load_embedder(settings))
    if not any(sidecar.names.values()):
        raise NotFound("No model to serve is on this machine: `cogniverse models fetch`, then try again.")
    local = is_loopback(host)
    if not local:
        terminal.note(Text(f"Whoever reaches {host} may use the models: there are no keys. Guard the port.", "yellow"))
    number = port or _choose_port(host)
    terminal.note(Text(f"http://{f'[{host}]' if ':' in host else host}:{number}", "bold"), _render_names(sidecar.names))
    uvicorn.run(
        create_sidecar(sidecar, loopback_only=local),
        host=host,
        port=number,
        access_log=False,
        log_config=None,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_SHUTDOWN_S,
    )


def _list_needs(settings: Settings) -> "list[Need]":
    return [_entity_need(settings), _embedding_need(settings), _rerank_need(settings), _claims_need(settings)]


def _entity_need(settings: Settings) -> "Need":
    from extraction.entities import gliner, onnx
    from extraction.entities.engines import DEFAULT_MODEL, choose_engine
    from extraction.models.states import Need
    from extraction.models.store import ONNX_ENTITIES, TORCH_ENTITIES

    model = settings.entity_model or DEFAULT_MODEL
    engine = settings.entity_engine
    if engine == "off":
        return Need("entity", model, engine)
    if engine == "sidecar" or (engine == "auto" and settings.models_url):
        return Need("entity", "the server's", "sidecar", url=settings.models_url)
    if engine == "auto":
        try:
            chosen = choose_engine(entity_options(settings))
        except CogniverseError:
            chosen = None
        by_package = "gliner" if gliner.is_installed() and not onnx.is_installed() else "onnx"
        engine = by_package if chosen is None else chosen[0]
    if engine == "gliner":
        return Need("entity", model, engine, "torch", TORCH_ENTITIES, gliner.PACKAGES, "torch")
    return Need("entity", model, engine, "onnx", ONNX_ENTITIES, onnx.PACKAGES, "models")


def _embedding_need(settings: Settings) -> "Need":
    from extraction.models.states import Need
    from extraction.models.store import ONNX_TEXT

    model, engine = settings.embedding_model, settings.embedding_engine
    if engine == "off":
        return Need("embedding", model, engine)
    if engine == "openai" or (engine == "auto" and settings.embedding_url):
        return Need("embedding", model, "openai", url=settings.embedding_url)
    return Need("embedding", model, "fastembed", "onnx", ONNX_TEXT, ("fastembed",), "models")


def _rerank_need(settings: Settings) -> "Need":
    from extraction.models.states import Need
    from extraction.models.store import ONNX_TEXT

    if settings.rerank != "cross-encoder":
        return Need("rerank", settings.rerank_model, "off")
    return Need("rerank", settings.rerank_model, "fastembed", "onnx", ONNX_TEXT, ("fastembed",), "models")


def _claims_need(settings: Settings) -> "Need":
    from extraction.models.states import Need

    if settings.claims_model is None:
        return Need("claims", "-", "off")
    return Need("claims", settings.claims_model, "dspy", packages=("dspy",), extra="claims", url=settings.claims_url)


def _choose_fetched(needs: "list[Need]", name: str | None) -> "list[Need]":
    """The needs that a name means; a name that the settings don't have is taken for an entity or a text model's."""
    from extraction.models.states import Need

    chosen = [need for need in needs if need.engine != "off" and name in (None, need.role, need.model)]
    if chosen or name is None:
        return chosen
    if name in {need.role for need in needs}:
        raise InvalidInput(f"The settings turn {name} off: there is nothing to fetch for it.")
    form = "torch" if needs[0].form == "torch" else "onnx"
    return [Need("other", name, form, form)]


def _load_embedder(settings: Settings):  # noqa: ANN202 - Embedder | None
    from extraction.embeddings.engines import find_embedder

    return find_embedder(embedding_options(settings)) if settings.embedding_engine != "off" else None


def _try_entities(models: Models) -> str | None:
    extractor = models.find_extractor()
    if extractor is None:
        return None
    [spans] = extractor.extract([_SENTENCE])
    return ", ".join(f"{span.text} ({span.kind} {span.score:.2f})" for span in spans) or "nothing found"


def _try_embedding(models: Models) -> str | None:
    embedder = models.find_embedder()
    if embedder is None:
        return None
    [vector] = embedder.embed([_SENTENCE])
    return f"{len(vector)} dimensions"


def _try_rerank(models: Models) -> str | None:
    from extraction.embeddings.reranking import RerankOptions, find_reranker
    from extraction.models.store import models_dir
    from graph.ranking import Candidate

    settings = models.settings
    root = models_dir(settings.cache_dir)
    reranker = find_reranker(RerankOptions(settings.rerank, settings.rerank_model, root))
    if reranker is None:
        return None
    texts = ("A cake needs flour.", _SENTENCE)
    order = reranker.order("Who was born in Warsaw?", [Candidate(text, text, 1.0) for text in texts])
    return f"best answer: {texts[order[0]]}"


def _try_claims(models: Models) -> str | None:
    from extraction.claims.base import ClaimText, PriorEntity

    reader = models.find_reader()
    if reader is None:
        return None
    known = (PriorEntity("Marie Curie", "person"), PriorEntity("Warsaw", "location"), PriorEntity("1867", "date"))
    [answer] = asyncio.run(reader.read([ClaimText(_SENTENCE, known)]))
    facts = (f"{claim.subject.name} {claim.predicate} {claim.object.name}" for claim in answer.claims)
    return ", ".join(facts) or "nothing found"


_TRIALS: Final[dict[str, Callable[[Models], str | None]]] = {
    "entity": _try_entities,
    "embedding": _try_embedding,
    "rerank": _try_rerank,
    "claims": _try_claims,
}


def _try(need: "Need", models: Models) -> Trial:
    started = time.perf_counter()
    try:
        result = _TRIALS[need.role](models)
        ok = result is not None
    except CogniverseError as exc:
        result, ok = str(exc), False
    shown = _find_hint(need, models.settings) if result is None else result
    return Trial(need.role, need.model, ok, round(time.perf_counter() - started, 3), shown)


def _find_hint(need: "Need", settings: Settings) -> str:
    """Why a model can't be tried, and what to do, as `models list` says it."""
    from extraction.models.states import look_up
    from extraction.models.store import models_dir

    [holding] = look_up([need], models_dir(settings.cache_dir))
    return f"{holding.state}: {holding.hint}" if holding.hint else str(holding.state)


def _set_bars(terminal: Terminal) -> None:
    """The hub's library draws its own bars, which are for people only."""
    from importlib.util import find_spec

    if find_spec("huggingface_hub") is not None and (is_quiet() or not terminal.err.is_terminal):
        from huggingface_hub.utils.tqdm import disable_progress_bars

        disable_progress_bars()


def _say(terminal: Terminal, step: "FetchStep") -> None:
    size = f"{step.file.size / _MEGABYTE:,.1f} MB"
    terminal.note(Text(f"{step.model}: {step.file.name} ({step.number} of {step.total}, {size})", "dim"))


def _render_holdings(holdings: "list[Holding]") -> Table:
    from extraction.models.states import State

    styles = {State.AT_HAND: "green", State.REMOTE: "green", State.OFF: "dim"}
    rows = [
        (
            Text(one.role, "bold"),
            one.model,
            one.engine,
            Text(one.state, styles.get(one.state, "yellow")),
            "" if one.size_bytes is None else f"{one.size_bytes / _MEGABYTE:,.0f} MB",
            one.hint or one.where or "",
        )
        for one in holdings
    ]
    return make_table(rows, header=("for", "model", "engine", "state", "size", "where, or what to do"), right=(4,))


def _render_trials(trials: list[Trial]) -> Table:
    marks = {True: Text("ok   ", "green"), False: Text("wrong", "bold red")}
    rows = [(marks[one.ok], Text(one.role, "bold"), one.model, f"{one.seconds:.2f} s", one.result) for one in trials]
    return make_table(rows, right=(3,))


def _render_names(names: dict[str, str | None]) -> Table:
    return make_table([(Text(what, "bold"), name or "none") for what, name in names.items()])


def _choose_port(address: str) -> int:
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as free:
        free.bind((address, 0))
        return free.getsockname()[1]
