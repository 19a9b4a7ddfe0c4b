"""Pages for people with a browser: GraphiQL and the description of the REST doors, with all that they need."""

from api.pages.assets import static_routes
from api.pages.page import graphiql_page, openapi_page

__all__ = ["graphiql_page", "openapi_page", "static_routes"]
