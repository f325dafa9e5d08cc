#!/bin/bash
# The ten tasks of an administrator on an empty Debian that has no Go, with the packages of a release:
#
#	tools/packages.sh OLD.deb NEW.deb
#
# An empty Debian is unpacked (debootstrap, kept in $EMPTY for the next time), and the tasks are done in
# it as root, in name spaces of their own: they see no other process and no network but loopback. systemd
# does not run there: where an administrator says "systemctl start alcove", the command of the unit runs
# as the unit says, with its user, without privileges, and with the same directories closed to writing.
set -euo pipefail

if [ "${1-}" != --inside ]; then
	old=$(realpath "$1") new=$(realpath "$2")
	self=$(realpath "$0")
	EMPTY=${EMPTY:-/var/tmp/alcove-empty-debian}
	if [ ! -e "$EMPTY/complete" ]; then
		rm -rf --one-file-system "$EMPTY"
		mirror=$(apt-cache policy | awk '/ (stable|bookworm)\/main/ { print $2; exit }')
		debootstrap --variant=minbase --include=systemd-sysv,ca-certificates,curl,openssl,nginx-light,caddy,apache2 \
			bookworm "$EMPTY" "$mirror" >"$EMPTY.log" 2>&1 || { tail -n 20 "$EMPTY.log"; exit 1; }
		touch "$EMPTY/complete"
	fi
	root=$(mktemp -d)
	trap 'rm -rf --one-file-system "$root"' EXIT
	cp -a "$EMPTY/." "$root/"
	cp "$old" "$root/root/alcove-old.deb"
	cp "$new" "$root/root/alcove.deb"
	cp "$self" "$root/root/tasks"
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare --mount --pid --net --uts --ipc --fork bash -c '
		set -e
		ip link set lo up
		mount --bind "$1" "$1"
		mount -t proc proc "$1/proc"
		mount --rbind /dev "$1/dev"
		mount -t tmpfs tmpfs "$1/run"; mkdir -m 1777 "$1/run/lock"
		exec chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
			DEBIAN_FRONTEND=noninteractive bash /root/tasks --inside' - "$root"
	exit
fi

total=0 here=0
task() {
	[ "$here" = 0 ] || echo "    ($here commands)"
	here=0
	echo
	echo "== $*"
}

# do_ runs a command that the administrator types, and leaves what it said in /root/said.
do_() {
	echo "    # $*"
	here=$((here + 1)) total=$((total + 1))
	local code=0
	"$@" >/root/said 2>&1 || code=$?
	sed 's/^/      /' /root/said
	[ "$code" = 0 ] || fail "it ended with $code"
}

fail() {
	echo "FAILED: $*"
	[ ! -e /var/log/alcove.log ] || tail -n 20 /var/log/alcove.log
	exit 1
}

# until_ waits for a condition, for a minute.
until_() {
	for _ in $(seq 600); do
		if "$@"; then return; fi
		sleep 0.1
	done
	fail "still not: $*"
}

# As systemd would: the command of the unit, its user, no privileges, and all closed to writing but what
# the unit opens.
start() {
	local unit=/usr/lib/systemd/system/alcove.service command
	[ -e "$(sed -n 's/^ConditionPathExists=//p' $unit)" ] || fail "the condition of the unit does not hold"
	command=$(sed -n 's/^ExecStart=//p' $unit)
	for line in StateDirectory=alcove ProtectSystem=strict ReadWritePaths=-/var/backups/alcove; do
		grep -qx -e "$line" $unit || fail "the unit does not say $line"
	done
	: >/var/log/alcove.log
	# shellcheck disable=SC2016 # the inner shell expands it
	unshare --mount sh -c '
		mount --bind /var/lib/alcove /var/lib/alcove
		mount --bind /var/backups/alcove /var/backups/alcove
		mount -t tmpfs tmpfs /tmp
		mount -o remount,bind,ro /
		umask 0077
		exec setpriv --reuid=alcove --regid=alcove --init-groups --no-new-privs --bounding-set=-all --inh-caps=-all $1' \
		- "$command" >>/var/log/alcove.log 2>&1 &
	pid=$!
	until_ serving
}

serving() {
	kill -0 "$pid" 2>/dev/null || fail "the server has ended"
	grep -q msg=serving /var/log/alcove.log
}

stop() {
	kill -TERM "$pid"
	wait "$pid" || fail "the server ended with $?"
}

# systemctl stands in for the one that needs systemd as process 1.
systemctl_() {
	echo "    # systemctl $*"
	here=$((here + 1)) total=$((total + 1))
	case $1 in
	start) start ;;
	stop) stop ;;
	restart) stop && start ;;
	esac
}

# published is the number of public items.
published() { curl -sSf "$1/v2/articles" | grep -o '"id"' | wc -l; }

# is_id says whose a path is.
owned() {
	[ "$(stat -c '%U:%G %a' "$1")" = "$2" ] || fail "$1 is $(stat -c '%U:%G %a' "$1"), not $2"
}

! command -v go || fail "there is Go"

task 1. install the package
do_ apt-get install -y -qq -o Dpkg::Use-Pty=0 /root/alcove-old.deb
owned /var/lib/alcove "alcove:alcove 700"
owned /etc/alcove "root:alcove 770"
owned /var/backups/alcove "alcove:alcove 700"
[ -e /etc/systemd/system/multi-user.target.wants/alcove.service ] || fail "the unit is not enabled"
[ ! -e /etc/alcove/alcove.toml ] || fail "there is a repository that nobody has made"

task 2. make a repository with the first administrator, and start it
do_ alcovectl init --admin admin@example.org
owned /etc/alcove/alcove.toml "alcove:alcove 600"
systemctl_ start alcove
do_ alcovectl account reset --account admin@example.org --print
address=$(cat /root/said)
case $address in https://*) ;; *) fail "no address: $address" ;; esac
curl -sSf --cacert /var/lib/alcove/tls/ca.pem -o /dev/null "$address" || fail "the address does not open"

task 3. HTTPS, with a certificate of your own
do_ install -d -m 0750 /etc/ssl/alcove
# Stands for the certificate of an authority.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=data.example.org \
	-addext subjectAltName=DNS:data.example.org -keyout /etc/ssl/alcove/privkey.pem -out /etc/ssl/alcove/fullchain.pem 2>/dev/null
cp /etc/ssl/alcove/fullchain.pem /usr/local/share/ca-certificates/example.crt
update-ca-certificates >/dev/null 2>&1
echo "127.0.0.1 localhost data.example.org" >/etc/hosts
do_ tee -a /etc/alcove/alcove.toml <<'END'
listen = "127.0.0.1:8080"
tls = "off"
trusted_proxies = ["127.0.0.1"]
base_url = "https://data.example.org"
END
systemctl_ restart alcove

# through says that the address works: a person's page, and items by the command line.
through() {
	until_ curl -sSf -o /dev/null https://data.example.org/
	printf 'a,b\n1,2\n' >/root/data.csv
	printf '{"key": "%s", "title": "Measured behind %s", "authors": [{"name": "Mary Example"}], "description": "Two columns.", "tags": ["test"], "categories": [51], "license": 1, "defined_type": "dataset", "files": ["data.csv"], "publish": true}\n' "$1" "$1" >"/root/$1.jsonl"
	(cd /root && alcove deposit --to https://data.example.org --token-file /var/lib/alcove/admin-token "$1.jsonl") >/root/deposit.log 2>&1 ||
		{ cat /root/deposit.log; fail "the deposit through $1"; }
	items=$((${items:-0} + 1))
	[ "$(published https://data.example.org)" = "$items" ] || fail "$(published https://data.example.org) items, not $items"
}

# closed says that no proxy listens any more.
closed() { ! curl -sk -o /dev/null https://data.example.org/; }

task 4. behind nginx
do_ cp /usr/share/doc/alcove/proxies/nginx.conf /etc/nginx/sites-enabled/alcove
do_ nginx # systemctl restart nginx
through nginx
nginx -s stop 2>/dev/null
until_ closed

task 5. behind Caddy
do_ cp /usr/share/doc/alcove/proxies/Caddyfile /etc/caddy/Caddyfile
sed -i 's/#tls/tls/' /etc/caddy/Caddyfile # no authority can be reached here
do_ caddy start --config /etc/caddy/Caddyfile # systemctl restart caddy
through caddy
caddy stop 2>/dev/null
until_ closed

task 6. behind Apache
do_ cp /usr/share/doc/alcove/proxies/apache.conf /etc/apache2/sites-available/alcove.conf
do_ a2enmod -q ssl proxy_http headers
do_ a2ensite -q alcove
do_ apache2ctl start # systemctl restart apache2
through apache

task 7. thirty people from a CSV
{
	echo email,first_name,last_name
	for i in $(seq 30); do echo "person$i@example.org,Person,Number$i"; done
} >/tmp/people.csv
if alcove account --help | grep -q '^  import '; then
	do_ alcovectl account import --dry-run /tmp/people.csv
	invited=$(alcovectl account import --print /tmp/people.csv)
	do_ alcovectl account import /tmp/people.csv # again: no one is invited twice
else
	echo "    this build has no account import: one by one"
	invited=$(sed 1d /tmp/people.csv | while IFS=, read -r mail _; do alcovectl account invite --print --email "$mail"; done)
fi
[ "$(grep -c https://data.example.org/ <<<"$invited")" = 30 ] || fail "they were invited so: $invited"

task 8. backup
do_ alcovectl backup create /var/backups/alcove
do_ alcovectl backup verify /var/backups/alcove

task 9. restore drill
do_ alcovectl restore /var/backups/alcove /var/tmp/alcove-drill
do_ alcovectl check --data /var/tmp/alcove-drill
do_ rm -r /var/tmp/alcove-drill

task 10. upgrade
before=$(alcove version)
settings=$(cat /etc/alcove/alcove.toml)
stop # the scripts of the package restart the unit where systemd runs
do_ apt-get install -y -qq -o Dpkg::Use-Pty=0 /root/alcove.deb
[ "$(alcove version)" != "$before" ] || fail "it is still $before"
[ "$(cat /etc/alcove/alcove.toml)" = "$settings" ] || fail "the settings are others"
start
[ "$(published https://data.example.org)" = "$items" ] || fail "items were lost"

task 11. uninstall, and change your mind
stop
do_ apt-get purge -y -qq -o Dpkg::Use-Pty=0 alcove
[ ! -e /usr/bin/alcove ] || fail "the program is still there"
[ ! -e /etc/systemd/system/multi-user.target.wants/alcove.service ] || fail "the unit is still enabled"
for kept in /var/lib/alcove/alcove.db /etc/alcove/alcove.toml /var/backups/alcove; do
	[ -e "$kept" ] || fail "$kept was removed"
done
do_ apt-get install -y -qq -o Dpkg::Use-Pty=0 /root/alcove.deb
start
[ "$(published https://data.example.org)" = "$items" ] || fail "items were lost"
stop
alcovectl check >/dev/null || fail "alcove check finds something"

echo "    ($here commands)"
echo
echo "all tasks are done, in $total commands"
