"""A Bolt server that makes several Neo4j Community servers look like one server with many databases."""
