"""The settings, and the one place where the environment is read."""

import os
import re
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

import platformdirs
from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from graph.errors import InvalidInput

LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR"]
_SIZE = r"^[1-9][0-9]*[mMgG]$"
_PREFIX = "COGNIVERSE_"
_SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
ENTITY_LABELS = (
    "Person",
    "Organization",
    "Location",
    "Date",
    "Substance",
    "Award",
    "Field",
    "Event",
    "Concept",
    "Technology",
    "Product",
    "Algorithm",
    "Model",
    "Framework",
    "Language",
)


class Settings(BaseSettings):
    """All settings, each from the environment variable of its name with COGNIVERSE_ before it."""

    model_config = SettingsConfigDict(env_prefix=_PREFIX, env_ignore_empty=True, extra="ignore", frozen=True)

    data_dir: Path = Field(
        default_factory=lambda: platformdirs.user_data_path("cogniverse"),
        description="Folder of the tenants' databases, passwords and logs.",
    )
    cache_dir: Path = Field(
        default_factory=lambda: platformdirs.user_cache_path("cogniverse"),
        description="Folder of what can be had again: Neo4j itself, start-up caches, parsed files.",
    )
    tenant: str = Field(
        default="default",
        description="Tenant when --tenant is not given, as name or org:name.",
    )
    backend: Literal["auto", "embedded", "multi", "single"] = Field(
        default="auto",
        description="Where tenants' databases are: `embedded` (a server of each one's own), `multi` (databases of the "
        "server at the URI), `single` (its one database); `auto` is embedded without a URI, else what the server can.",
    )
    neo4j_uri: str | None = Field(
        default=None, description="Address of a Neo4j server to use, such as neo4j://host:7687 or bolt+s://host."
    )
    neo4j_user: str = Field(default="neo4j", min_length=1, description="User of that server.")
    neo4j_password: SecretStr | None = Field(default=None, description="The user's password.")
    neo4j_password_file: Path | None = Field(
        default=None, description="File that holds the password, when it isn't given itself."
    )
    neo4j_database: str | None = Field(
        default=None,
        description="Database with the records of tenants, or of the one tenant; by default the user's home database.",
    )
    idle_timeout_s: float = Field(
        default=1800.0, ge=1.0, description="Seconds without a client after which a tenant's server stops."
    )
    start_timeout_s: float = Field(
        default=180.0,
        ge=1.0,
        description="Seconds that a server may take to start before that counts as failed.",
    )
    heap: Annotated[str, Field(pattern=_SIZE)] = Field(
        default="1g", description="Java heap of each tenant's server, such as 512m or 2g."
    )
    page_cache: Annotated[str, Field(pattern=_SIZE)] = Field(
        default="256m", description="Page cache of each tenant's server, such as 256m or 4g."
    )
    train_aot: bool = Field(
        default=True,
        description="Whether to make, once and in the background, a cache by which servers start twice as fast.",
    )
    min_free_mb: int = Field(
        default=256,
        ge=0,
        description="Megabytes that must be free on the disk of the data folder before anything is written.",
    )
    workers: int = Field(
        default_factory=lambda: os.cpu_count() or 1,
        ge=1,
        le=256,
        description="Processes that parse files, by default one for each processor.",
    )
    host: str = Field(default="127.0.0.1", description="Address that `serve` listens on.")
    port: int = Field(default=8000, ge=0, le=65535, description="Port that `serve` listens on, 0 for a free one.")
    production: bool = Field(
        default=False, description="Turns GraphiQL and introspection off where they are not set by themselves."
    )
    graphiql: bool | None = Field(
        default=None, description="GraphiQL in the browser; by default when not in production."
    )
    introspection: bool | None = Field(
        default=None, description="Schema introspection; by default when not in production."
    )
    secret: SecretStr | None = Field(
        default=None,
        description="Secret that signs cursors and links, the same on all machines; else a file in the data folder.",
    )
    allowed_roots: Annotated[tuple[Path, ...], NoDecode] = Field(
        default=(), description=f"Folders that files may be ingested from by path, separated by {os.pathsep!r}."
    )
    max_body_bytes: int = Field(default=1_000_000, ge=1_000, description="Largest request that is not an upload.")
    max_upload_bytes: int = Field(default=100_000_000, ge=1_000, description="Largest upload, its form included.")
    large_file_bytes: int = Field(default=1_000_000, ge=0, description="Files from this size on are ingested as jobs.")
    max_depth: int = Field(default=15, ge=1, description="Deepest nesting of a GraphQL query.")
    max_aliases: int = Field(
        default=30, ge=0, description="Most aliases in a GraphQL query, fragments counted each time."
    )
    max_tokens: int = Field(default=4_000, ge=10, description="Most tokens in a GraphQL query.")
    max_cost: int = Field(
        default=60_000, ge=1, description="Highest cost of a GraphQL query, in values that it may return."
    )
    query_timeout_s: float = Field(
        default=30.0, gt=0.0, description="Seconds after which a request is given up, in Neo4j too."
    )
    rate_limit_per_minute: int = Field(
        default=0,
        ge=0,
        description="Requests a minute that each key, or address without a key, may make; 0 for no limit.",
    )
    cors_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(), description="Origins of web pages that may call the API, separated by commas; `*` for any."
    )
    persisted_queries: Literal["off", "auto", "only"] = Field(
        default="auto",
        description="Persisted queries: `auto` keeps what clients register, `only` serves the allow-list alone.",
    )
    persisted_queries_file: Path | None = Field(
        default=None, description="Allow-list of persisted queries: JSON that maps sha256 to query."
    )
    jwt_secret: SecretStr | None = Field(default=None, description="Secret of HS256 tokens.")
    jwt_jwks_url: str | None = Field(
        default=None, description="Address of the key set (JWKS) of RS256 and ES256 tokens."
    )
    jwt_issuer: str | None = Field(default=None, description="Issuer that tokens must name.")
    jwt_audience: str | None = Field(default=None, description="Audience that tokens must name.")
    jwt_tenants_claim: str = Field(default="tenants", description="Claim with the tenants of a token, a list or words.")
    jwt_role_claim: str = Field(default="role", description="Claim with the role of a token.")
    job_slots: int = Field(default=1, ge=1, le=64, description="Ingestion jobs that run at once in a process.")
    job_queue: int = Field(default=100, ge=1, description="Jobs that may wait; more are refused.")
    connection_idle_s: float = Field(
        default=300.0, gt=0.0, description="Seconds after which the API closes its unused connection to a tenant."
    )
    read_timeout_s: float = Field(
        default=120.0,
        gt=0.0,
        description="Seconds that the reading of one document (PDF, office and the like) may take.",
    )
    read_memory: Annotated[str, Field(pattern=_SIZE)] = Field(
        default="2g", description="Memory that the process which reads documents may take, such as 512m or 2g."
    )
    entity_engine: Literal["auto", "onnx", "gliner", "sidecar", "off"] = Field(
        default="auto",
        description="What finds entities: `onnx` (light), `gliner` (torch), `sidecar` (a server), `off`; `auto` takes "
        "what is installed and at hand.",
    )
    entity_model: str | None = Field(
        default=None,
        description="GLiNER model, a name or a folder of weights; by default urchade/gliner_large-v2.1, once fetched.",
    )
    entity_labels: Annotated[tuple[str, ...], NoDecode] = Field(
        default=ENTITY_LABELS, description="Kinds of entities to look for, separated by commas."
    )
    entity_threshold: float = Field(default=0.5, ge=0.0, le=1.0, description="Least score of an entity.")
    entity_batch: int = Field(default=8, ge=1, le=256, description="Texts that the entity model reads at once.")
    models_url: str | None = Field(
        default=None, description="Address of `cogniverse models serve`, for the engine `sidecar`."
    )
    claims_model: str | None = Field(
        default=None,
        description="Language model that reads claims, by its LiteLLM name; without one there are no claims.",
    )
    claims_url: str | None = Field(
        default=None, description="Address of an OpenAI-compatible server for the claims model."
    )
    claims_key: SecretStr | None = Field(default=None, description="Key of the claims model's server.")
    claims_concurrency: int = Field(default=4, ge=1, le=64, description="Calls of the claims model at once.")
    claims_timeout_s: float = Field(
        default=60.0, gt=0.0, description="Seconds that a call of the claims model may take."
    )
    claims_free_form: bool = Field(
        default=False,
        description="Whether facts outside the predicates are kept, each with a description of one sentence.",
    )
    embedding_engine: Literal["auto", "fastembed", "openai", "off"] = Field(
        default="auto",
        description="What makes vectors: `fastembed`, `openai` (a server that speaks OpenAI's API), `off`; `auto` is "
        "a server whose address is set, else fastembed when its model is at hand.",
    )
    embedding_model: str = Field(
        default="sentence-transformers/all-MiniLM-L6-v2", description="Embedding model, a name or a folder of weights."
    )
    embedding_url: str | None = Field(
        default=None,
        description="Address of an OpenAI-compatible server of embeddings, such as http://127.0.0.1:11434/v1.",
    )
    embedding_key: SecretStr | None = Field(default=None, description="Key of the embedding server.")
    rerank: Literal["off", "mmr", "cross-encoder"] = Field(
        default="off", description="How the best hits of a hybrid search are put in order once more."
    )
    rerank_model: str = Field(
        default="Xenova/ms-marco-MiniLM-L-6-v2", description="Cross-encoder, a name or a folder of weights."
    )
    ontology: Path | None = Field(
        default=None,
        description="Ontology (YAML, or RDF as Turtle or XML): a file for all tenants, or a folder with one for each.",
    )
    export_ttl_s: float = Field(default=3600.0, gt=0.0, description="Seconds that an export can be downloaded.")
    otlp_endpoint: str | None = Field(
        default=None,
        description="Address that traces are sent to (OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces); needs "
        "the extra `tracing`.",
    )
    log_level: LogLevel = Field(
        default="WARNING",
        description="Least level of what is logged on standard error; DEBUG adds tracebacks.",
    )

    @property
    def runs_servers(self) -> bool:
        """Whether tenants have servers of their own, run by this program; else they are on one run by others."""
        return self.backend == "embedded" or (self.backend == "auto" and self.neo4j_uri is None)

    @property
    def allows_introspection(self) -> bool:
        """Whether clients may ask for the schema."""
        return not self.production if self.introspection is None else self.introspection

    @field_validator("neo4j_uri")
    @classmethod
    def _check_uri(cls, value: str | None) -> str | None:
        if value is None:
            return None
        if "@" in value:
            raise ValueError(
                "an address holds no user or password, set COGNIVERSE_NEO4J_USER and COGNIVERSE_NEO4J_PASSWORD instead"
            )
        parts = urlsplit(value)
        routes = parts.scheme.startswith("neo4j")
        is_plain = parts.path in ("", "/") and not parts.fragment and (routes or not parts.query)
        if parts.scheme not in _SCHEMES or not parts.hostname or parts.port == 0 or not is_plain:
            raise ValueError(f"an address is scheme://host:port with one of the schemes {', '.join(_SCHEMES)}")
        return value

    @field_validator("neo4j_database")
    @classmethod
    def _refuse_system(cls, value: str | None) -> str | None:
        if value is not None and value.lower() == "system":
            raise ValueError("that one is Neo4j's own and holds no graph: name another, or none for the user's home")
        return value

    @field_validator("allowed_roots", mode="before")
    @classmethod
    def _split_paths(cls, value: object) -> object:
        return tuple(filter(None, value.split(os.pathsep))) if isinstance(value, str) else value

    @field_validator("cors_origins", mode="before")
    @classmethod
    def _split_words(cls, value: object) -> object:
        return tuple(filter(None, value.replace(",", " ").split())) if isinstance(value, str) else value

    @field_validator("entity_labels", mode="before")
    @classmethod
    def _split_labels(cls, value: object) -> object:
        return tuple(word.strip() for word in value.split(",") if word.strip()) if isinstance(value, str) else value


def load_settings() -> Settings:
    """Read the settings. Raises InvalidInput that names each variable with a bad value."""
    try:
        settings = Settings()
    except ValidationError as exc:
        faults = "; ".join(
            f"{_PREFIX}{'.'.join(str(part) for part in fault['loc']).upper()}: {fault['msg']}, "
            f"not {_without_credentials(str(fault['input']))[:80]!r}"
            for fault in exc.errors(include_url=False)
        )
        raise InvalidInput(f"Settings in the environment can't be used. {faults}.") from exc
    return settings.model_copy(
        update={
            "data_dir": _absolute(settings.data_dir),
            "cache_dir": _absolute(settings.cache_dir),
        }
    )


def _without_credentials(address: str) -> str:
    return re.sub(r"//.*@", "//…@", address)


def _absolute(folder: Path) -> Path:
    return Path(os.path.abspath(folder.expanduser()))  # noqa: PTH100 - resolve() would follow links
