#!/bin/sh
# Makes the user and the directories, and starts the new program where the old one ran. A repository is
# made by "alcovectl init" only, so that a machine image with the package has none.
set -eu

if ! getent group alcove >/dev/null; then
	groupadd --system alcove
fi
if ! getent passwd alcove >/dev/null; then
	useradd --system --gid alcove --home-dir /var/lib/alcove --no-create-home \
		--shell /usr/sbin/nologin --comment "Alcove repository" alcove
fi

# What is there keeps its owner and mode: it may be a mount, or another machine's copy. The settings may
# hold secrets. The group may write them, because "alcovectl init" does; the service cannot (ProtectSystem).
for d in /var/lib/alcove /var/backups/alcove; do
	[ -d "$d" ] || install -d -o alcove -g alcove -m 0700 "$d"
done
[ -d /etc/alcove ] || install -d -o root -g alcove -m 0770 /etc/alcove

if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi

# Debian says the version of before, an RPM how many there are.
case "${1-}" in
configure) old=${2-} ;;
*) [ "${1:-1}" -gt 1 ] && old=yes || old= ;;
esac
if command -v systemctl >/dev/null; then
	if [ -z "$old" ]; then
		systemctl enable --quiet alcove.service
	elif [ -d /run/systemd/system ]; then
		systemctl try-restart alcove.service
	fi
fi
if [ ! -e /etc/alcove/alcove.toml ]; then
	cat <<-'END'
		Alcove is installed. Make a repository, and start it:
		    alcovectl init --admin you@example.org
		    systemctl start alcove
		What comes then is in /usr/share/doc/alcove/install.md.
	END
fi
