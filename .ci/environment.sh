# shellcheck shell=bash
# Sourced by start and test: make_environment ROOT [dev] puts the project, and what it needs, into ROOT/.venv.

fail() {
    printf 'error: %s\n' "$1" >&2
    exit 1
}

is_new_enough() {
    "$1" -c 'import sys; raise SystemExit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    local candidate
    for candidate in python3.13 python3.12 python3.11 python3 python; do
        if is_new_enough "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    fail "Python 3.11 or newer is needed and was not found. Install it from https://www.python.org/downloads/ or with your system's packages, then run this again."
}

make_environment() {
    local root=$1 extent=${2:-run}
    local venv=$root/.venv wanted stamp python
    wanted=$(cat "$root/pyproject.toml" "$root/requirements.lock" | cksum)
    # An environment for development also serves to run.
    for stamp in "$venv/.installed-dev" "$venv/.installed-$extent"; do
        # The path is part of the stamp: an environment does not survive being moved.
        if [[ -f $stamp && $(<"$stamp") == "$wanted $root" ]] && is_new_enough "$venv/bin/python"; then
            return
        fi
    done
    if ! is_new_enough "$venv/bin/python" || ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then
        python=$(find_python)
        "$python" -c 'import ensurepip, venv' 2>/dev/null ||
            fail "$python can't make environments: it lacks ensurepip. On Debian and Ubuntu: sudo apt install python3-venv."
        printf 'Making the environment in %s\n' "$venv" >&2
        "$python" -m venv --clear "$venv"
    fi
    printf 'Installing what the program needs (about 150 MB the first time)\n' >&2
    local pip=("$venv/bin/python" -m pip --disable-pip-version-check install --constraint "$root/requirements.lock")
    [[ -t 2 ]] || pip+=(--quiet)
    if [[ $extent == dev ]]; then
        # Dependency groups came with pip 25.1, which not every Python brings.
        "${pip[@]}" --quiet pip
        (cd "$root" && "${pip[@]}" --editable . --group dev)
    else
        "${pip[@]}" --editable "$root"
    fi || fail "The installation failed; pip says why above. Running this again goes on from there."
    printf '%s %s\n' "$wanted" "$root" >"$venv/.installed-$extent"
}
