#!/bin/sh
# Stops the service when the package goes, not when a new one takes its place.
set -eu

case "${1-}" in
remove | 0)
	if command -v systemctl >/dev/null; then
		[ ! -d /run/systemd/system ] || systemctl stop alcove.service
		systemctl disable --quiet alcove.service
	fi
	;;
esac
