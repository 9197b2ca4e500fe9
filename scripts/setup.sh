#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the Debian packages of the named groups (all groups without arguments) that are not there yet.
# Where the user may not install, it prints the exact command to ask for and stops.
set -eu

here=$(dirname "$0")
groups=${*:-demo verify test lint docs}

wanted=
for group in $groups; do
    wanted="$wanted $(awk -v group="$group" '$1 == group { print $2 }' "$here/packages.txt")"
done

missing=
for package in $wanted; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" -eq 0 ]; then
    run=
elif sudo -n true 2>/dev/null; then
    run="sudo"
else
    echo "Some Debian packages are needed and only root may install them. Please run:" >&2
    echo >&2
    echo "    sudo sh -c 'apt-get update && $install'" >&2
    echo >&2
    echo "and start again." >&2
    exit 1
fi

echo "Installing:$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # $run and $install are word lists
if ! { $run apt-get update && $run env DEBIAN_FRONTEND=noninteractive $install; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "Installing failed; the last lines are above. Command: $run $install" >&2
    exit 1
fi
