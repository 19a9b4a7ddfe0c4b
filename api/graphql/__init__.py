"""The GraphQL API: the schema that front-ends get, resolved through the graph layer."""
