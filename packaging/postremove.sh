#!/bin/sh
# Leaves the repository, its settings and its user where they are, also when the package is purged:
# data that people have published is removed by a person, by name.
set -eu

[ ! -d /run/systemd/system ] || systemctl daemon-reload

case "${1-}" in
remove | 0)
	if [ -e /var/lib/alcove/alcove.db ]; then
		cat <<-'END'
			The repository in /var/lib/alcove and its settings in /etc/alcove are still there;
			a package that is installed later serves them again. To remove them for good:
			    rm -r /var/lib/alcove /var/backups/alcove /etc/alcove && userdel alcove
		END
	fi
	;;
purge)
	for d in /etc/alcove /var/lib/alcove /var/backups/alcove; do
		[ ! -d "$d" ] || rmdir --ignore-fail-on-non-empty "$d"
	done
	;;
esac
