"""The settings, and the one place where the environment is read."""

import os
from pathlib import Path
from typing import Annotated, Literal

import platformdirs
from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from graph.errors import InvalidInput

LogLevel = Literal["DEBUG", "INFO", "WARNING", "ERROR"]
_SIZE = r"^[1-9][0-9]*[mMgG]$"
_PREFIX = "COGNIVERSE_"


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
    workers: int = Field(
        default_factory=lambda: os.cpu_count() or 1,
        ge=1,
        le=256,
        description="Processes that parse files, by default one for each processor.",
    )
    log_level: LogLevel = Field(
        default="WARNING",
        description="Least level of what is logged on standard error; DEBUG adds tracebacks.",
    )


def load_settings() -> Settings:
    """Read the settings. Raises InvalidInput that names each variable with a bad value."""
    try:
        settings = Settings()
    except ValidationError as exc:
        faults = "; ".join(
            f"{_PREFIX}{'.'.join(str(part) for part in fault['loc']).upper()}: {fault['msg']}, "
            f"not {str(fault['input'])[:80]!r}"
            for fault in exc.errors(include_url=False)
        )
        raise InvalidInput(f"Settings in the environment can't be used. {faults}.") from exc
    return settings.model_copy(
        update={
            "data_dir": _absolute(settings.data_dir),
            "cache_dir": _absolute(settings.cache_dir),
        }
    )


def _absolute(folder: Path) -> Path:
    return Path(os.path.abspath(folder.expanduser()))  # noqa: PTH100 - resolve() would follow links
