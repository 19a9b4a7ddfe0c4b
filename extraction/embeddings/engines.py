"""From the settings to the model that makes vectors."""

from extraction.embeddings.base import Embedder, EmbeddingOptions, EmbeddingsFailed


def find_embedder(options: EmbeddingOptions) -> Embedder | None:
    """The model that is asked for, loaded; None when that is `off`, or `auto` with nothing at hand.

    Nothing is downloaded. Raises EmbeddingsFailed for what was asked for by name and can't be had.
    """
    match options.engine:
        case "off":
            return None
        case "openai":
            return _connect(options)
        case "fastembed":
            return _load(options)
        case "auto":
            return _connect(options) if options.url else _find_local(options)
        case engine:
            raise EmbeddingsFailed(f"There is no embedding engine {engine!r}: use auto, fastembed, openai or off.")


def _connect(options: EmbeddingOptions) -> Embedder:
    from extraction.embeddings.remote import RemoteEmbedder

    if not options.url:
        raise EmbeddingsFailed("The engine openai needs the address of a server: set COGNIVERSE_EMBEDDING_URL.")
    return RemoteEmbedder(options.url, options.model, key=options.key)


def _load(options: EmbeddingOptions) -> Embedder:
    from extraction.embeddings.local import find_folder, load_embedder

    return load_embedder(options.model, find_folder(options.model, options.models_dir))


def _find_local(options: EmbeddingOptions) -> Embedder | None:
    from extraction.embeddings.local import find_folder, is_installed, may_be_cached

    folder = find_folder(options.model, options.models_dir)
    at_hand = is_installed() and (folder is not None or may_be_cached(options.model))
    return _load(options) if at_hand or options.model != EmbeddingOptions().model else None
