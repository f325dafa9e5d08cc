#!/bin/sh
# testssl.sh [REPORT]
#
# Runs testssl against a server of this tree on loopback, and fails on findings of the severity
# MEDIUM or above. Those of its certificate are left out: an authority of its own, for this
# machine alone, is not trusted, cannot be revoked and is in no public log.
set -eu
cd "$(dirname "$0")/.."
report=${1:-}
dir=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; wait 2>/dev/null; rm -rf "$dir"' EXIT
CGO_ENABLED=0 go build -o "$dir/alcove" .
"$dir/alcove" serve --data "$dir/data" --listen 127.0.0.1:0 --hsts 8760h 2>"$dir/log" &
server=$!
address=
for _ in $(seq 100); do
  address=$(sed -n 's/.*address=https:\/\/\([^ ]*\).*/\1/p' "$dir/log")
  [ -z "$address" ] || break
  sleep 0.1
done
[ -n "$address" ] || { cat "$dir/log"; exit 1; }
testssl --quiet --color 0 --warnings off --ip one --add-ca "$dir/data/tls/ca.pem" --csvfile "$dir/findings.csv" "https://$address/healthz" >"$dir/text" 2>&1 || true
[ -z "$report" ] || cp "$dir/text" "$report"
grep -E '^ *(Overall Grade|Final Score)|offered|Forward Secrecy' "$dir/text" || true
[ "$(wc -l <"$dir/findings.csv")" -gt 100 ] || { cat "$dir/text"; echo "testssl has not looked at everything"; exit 1; }
# id, fqdn/ip, port, severity, finding, cve, cwe
bad=$(awk -F'","' '$4 ~ /^(MEDIUM|HIGH|CRITICAL)$/ && $1 !~ /^"(cert|OCSP|DNS_CAA|overall_grade|grade_cap|final_score|protocol_support|key_exchange|cipher_strength)/ {print $1 " " $4 " " $5}' "$dir/findings.csv")
[ -z "$bad" ] || { echo "findings:"; echo "$bad"; exit 1; }
echo "testssl has no finding of the severity MEDIUM or above"
