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

# Another program, such as the unattended upgrades of a machine that has just started, may hold one of apt's locks.
# apt-get itself waits for one of them only (DPkg::Lock::Timeout), not for that of the lists or of the archives.
seconds_between_tries=5
tries=120
while :; do
    # shellcheck disable=SC2086 # $run and $install are word lists
    if { $run env LC_ALL=C apt-get update && $run env LC_ALL=C DEBIAN_FRONTEND=noninteractive $install; } >"$log" 2>&1; then
        exit 0
    fi
    lock=$(grep -m 1 -E 'Could not get lock|Unable to (lock|acquire)' "$log") || break
    if [ "$tries" -eq 120 ]; then
        echo "Another program installs packages now; waiting up to 10 minutes for it (${lock#E: })"
    fi
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || break
    sleep "$seconds_between_tries"
done
tail -n 20 "$log" >&2
echo "Installing failed; the last lines are above. Command: $run $install" >&2
exit 1
