"""A Neo4j server of our own for each tenant."""
