"""What the driver raises, as callers are told of it: each with its way out."""

import pytest
from neo4j.exceptions import DriverError, Neo4jError, ServiceUnavailable, WriteServiceUnavailable

from graph.database import _mapped_errors
from graph.errors import Busy, CogniverseError, DatabaseFailed, MissingDatabase, NotAvailable, TimedOut

UNAUTHORIZED = "Neo.ClientError.Security.Unauthorized"


def refusal(code: str, message: str = "something") -> Neo4jError:
    return Neo4jError._hydrate_neo4j(code=code, message=message)


@pytest.mark.parametrize(
    ("raised", "expected", "way_out"),
    [
        (refusal(UNAUTHORIZED), NotAvailable, "COGNIVERSE_NEO4J_PASSWORD"),
        (refusal("Neo.ClientError.Security.CredentialsExpired"), NotAvailable, "new password"),
        (refusal("Neo.ClientError.Security.Forbidden"), DatabaseFailed, "Grant"),
        (refusal("Neo.ClientError.Database.DatabaseNotFound"), MissingDatabase, "SHOW DATABASES"),
        (refusal("Neo.TransientError.General.DatabaseUnavailable"), Busy, "try again"),
        (refusal("Neo.ClientError.Cluster.NotALeader"), NotAvailable, "neo4j://"),
        (refusal("Neo.ClientError.General.ForbiddenOnReadOnlyDatabase"), NotAvailable, "SET ACCESS READ WRITE"),
        (refusal("Neo.ClientError.Transaction.TransactionTimedOut"), TimedOut, "ask for less"),
        (refusal("Neo.TransientError.Transaction.DeadlockDetected"), Busy, "try again"),
        (refusal("Neo.ClientError.Statement.SyntaxError"), DatabaseFailed, "SyntaxError"),
        (refusal("Neo.DatabaseError.General.UnknownError"), DatabaseFailed, "gave up"),
        (ServiceUnavailable("Unable to retrieve routing information"), NotAvailable, "bolt:// in place of neo4j://"),
        (ServiceUnavailable("Couldn't connect to\nlocalhost:1"), NotAvailable, "Couldn't connect to localhost:1."),
        (WriteServiceUnavailable("No write service available"), NotAvailable, "neo4j://"),
        (DriverError("something"), DatabaseFailed, "gave up"),
    ],
    ids=lambda value: getattr(value, "code", None) or type(value).__name__,
)
def test_an_error_says_what_to_do(raised: Exception, expected: type[CogniverseError], way_out: str) -> None:
    with pytest.raises(CogniverseError) as caught, _mapped_errors():
        raise raised

    assert type(caught.value) is expected
    assert way_out in str(caught.value)


def test_a_refusal_keeps_the_code_of_neo4j() -> None:
    code = "Neo.ClientError.Statement.SyntaxError"

    with pytest.raises(DatabaseFailed) as caught, _mapped_errors():
        raise refusal(code)

    assert caught.value.code == code
