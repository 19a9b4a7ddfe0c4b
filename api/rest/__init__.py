"""The REST twin of the command line: the same questions and writes over plain HTTP."""

from api.rest.app import make_rest_app

__all__ = ["make_rest_app"]
