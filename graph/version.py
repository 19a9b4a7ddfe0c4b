"""Whether a tenant's graph is still what it was."""

from graph.database import Database


async def get_graph_version(database: Database) -> str:
    """A token that changes with every write to the tenant's database, for caches.

    Two tiny reads, whatever the size of the graph. Take it before what it stands for: what is read afterwards is at
    least as new. Jobs are kept in the same database, so it may change while the graph stays the same.
    """
    return await database.get_bookmark()
