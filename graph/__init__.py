"""The graph itself: model, identity, tenants, store, search, paths, analytics."""
