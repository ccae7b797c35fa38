#!/bin/sh
# Create the virtual environment in $1 with the first Python of at least 3.11; PYTHON names one to use instead.
set -eu

target=$1
is_recent='import sys; sys.exit(sys.version_info < (3, 11))'

fail() {
    echo "error: $1" >&2
    exit 1
}

interpreter=
for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python}; do
    if "$candidate" -c "$is_recent" 2>/dev/null; then
        interpreter=$candidate
        break
    fi
done

if [ -z "$interpreter" ]; then
    found=$("${PYTHON:-python3}" --version 2>&1) || found="no Python"
    fail "Python 3.11 or newer is needed, found $found. Install it, or say where it is: make app PYTHON=/path/to/python3"
fi

if command -v uv >/dev/null; then
    exec uv venv --quiet --allow-existing --python "$("$interpreter" -c 'import sys; print(sys.executable)')" "$target"
fi
if ! "$interpreter" -c 'import ensurepip, venv' 2>/dev/null; then
    version=$("$interpreter" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
    fail "$interpreter comes without its venv module. On Debian or Ubuntu: apt install $version-venv"
fi
exec "$interpreter" -m venv "$target"
