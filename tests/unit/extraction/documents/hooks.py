"""Readers that do harm, to be run in a worker."""

import os
import signal
import socket
import subprocess
import time
from typing import Never

from extraction.documents.text import DocumentText


def tell_pid(data: bytes) -> DocumentText:
    time.sleep(float(data))
    return DocumentText(str(os.getpid()))


def hang(_data: bytes) -> Never:
    while True:
        time.sleep(1)


def spin(_data: bytes) -> Never:
    while True:
        pass


def eat_memory(_data: bytes) -> Never:
    eaten = []
    while True:
        eaten.append(bytes(10_000_000))


def die(_data: bytes) -> Never:
    os.kill(os.getpid(), signal.SIGSEGV)
    raise AssertionError


def leave(_data: bytes) -> Never:
    os._exit(7)


def recurse(data: bytes) -> DocumentText:
    return recurse(data)


def stumble(_data: bytes) -> Never:
    raise LookupError("no\nsuch " + "x" * 1_000)


def call_out(_data: bytes) -> Never:
    socket.create_connection(("127.0.0.1", 9))
    raise AssertionError


def run_a_program(_data: bytes) -> Never:
    subprocess.run(["true"], check=True)
    raise AssertionError
