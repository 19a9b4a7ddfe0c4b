"""The models that the settings name, each loaded when it is first needed and once in a process."""

from typing import TYPE_CHECKING, Final

from api.config import Settings
from extraction.claims.base import ClaimOptions, ClaimReader, ClaimsFailed
from extraction.embeddings.base import Embedder, EmbeddingOptions
from extraction.entities.base import EntitiesFailed, EntityExtractor, EntityOptions
from extraction.models.once import Once
from graph.tenants import TenantId

if TYPE_CHECKING:
    from extraction.documents.extraction import DocumentModels
    from extraction.ontology.entries import Ontology

_MODELS: Final = "models"


def entity_options(settings: Settings) -> EntityOptions:
    """What the settings say of the model that finds entities."""
    return EntityOptions(
        engine=settings.entity_engine,
        model=settings.entity_model,
        labels=settings.entity_labels,
        threshold=settings.entity_threshold,
        batch=settings.entity_batch,
        url=settings.models_url,
        models_dir=settings.cache_dir / _MODELS,
    )


def claim_options(settings: Settings) -> ClaimOptions:
    """What the settings say of the model that reads claims."""
    return ClaimOptions(
        model=settings.claims_model,
        url=settings.claims_url,
        key=settings.claims_key.get_secret_value() if settings.claims_key else None,
        concurrency=settings.claims_concurrency,
        timeout_s=settings.claims_timeout_s,
        free_form=settings.claims_free_form,
        cache_dir=settings.cache_dir,
    )


def embedding_options(settings: Settings) -> EmbeddingOptions:
    """What the settings say of the model that makes vectors."""
    return EmbeddingOptions(
        engine=settings.embedding_engine,
        model=settings.embedding_model,
        url=settings.embedding_url,
        key=settings.embedding_key.get_secret_value() if settings.embedding_key else None,
        models_dir=settings.cache_dir / _MODELS,
    )


class Models:
    """The models of a process. Safe to ask from several threads; asking may take as long as a model takes to load."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._extractor = Once(lambda: _find_extractor(settings))
        self._reader = Once(lambda: _find_reader(settings))
        self._embedder = Once(lambda: _find_embedder(settings))

    def get_document_models(self, tenant: TenantId) -> "DocumentModels":
        """What reads the documents of a tenant. Raises InvalidInput for an ontology that can't be read."""
        from extraction.documents.extraction import DocumentModels
        from extraction.documents.reading import ReadLimits

        settings = self.settings
        entities, failure = None, None
        try:
            entities, claims = self.find_extractor(), self.find_reader()
        except (EntitiesFailed, ClaimsFailed) as exc:
            claims, failure = None, str(exc)
        return DocumentModels(
            entities=entities,
            claims=claims,
            terms=self._find_terms(tenant),
            limits=ReadLimits(timeout_s=settings.read_timeout_s, memory_bytes=to_bytes(settings.read_memory)),
            failure=failure,
        )

    def find_extractor(self) -> EntityExtractor | None:
        """What finds entities, None when nothing is set up. Raises EntitiesFailed."""
        return self._extractor.get()

    def find_reader(self) -> ClaimReader | None:
        """What reads claims, None when nothing is set up. Raises ClaimsFailed."""
        return self._reader.get()

    def find_embedder(self) -> Embedder | None:
        """What makes vectors, None when nothing is set up. Raises EmbeddingsFailed."""
        return self._embedder.get()

    def _find_terms(self, tenant: TenantId) -> "Ontology | None":
        if self.settings.ontology is None:
            return None
        from extraction.ontology import find_ontology

        return find_ontology(self.settings.ontology, str(tenant))


def to_bytes(size: str) -> int:
    """The bytes that a size of the settings is: `512m`, `2g`."""
    return int(size[:-1]) << (30 if size[-1] in "gG" else 20)


def _find_extractor(settings: Settings) -> EntityExtractor | None:
    from extraction.entities.engines import find_extractor

    return find_extractor(entity_options(settings))


def _find_reader(settings: Settings) -> ClaimReader | None:
    from extraction.claims.reader import find_reader

    return find_reader(claim_options(settings))


def _find_embedder(settings: Settings) -> Embedder | None:
    from extraction.embeddings.engines import find_embedder

    return find_embedder(embedding_options(settings))
