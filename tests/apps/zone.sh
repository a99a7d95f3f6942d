#!/bin/sh
# The zone `example` of the questions that dns_client.py asks, five records a name, signed: example.zone, and its key as a trust
# anchor: example.key. Arguments: work folder (build/apps/zone), names (200).
. "$(dirname "$0")/common.sh"
app zone "${2:-200} names, 2" "${1:-}"
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$app_version" ]; then exit 0; fi
need ldnsutils
cd "$work"
rm -f Kexample*
{
  printf '$ORIGIN example.\n$TTL 3600\n@ SOA ns admin 1 3600 600 86400 3600\n@ NS ns\nns A 192.0.2.1\n'
  seq "${2:-200}" | awk '{
    printf "host%d A 192.0.2.%d\nhost%d AAAA 2001:db8::%x\nhost%d MX 10 ns\n", $1, $1 % 250, $1, $1 % 65536, $1
    printf "host%d TXT \"text of host %d\"\nalias%d CNAME host%d\n", $1, $1, $1, $1 }'
} > plain.zone
key=$(ldns-keygen -a ECDSAP256SHA256 -k example)
ldns-signzone -e 20400101 -f example.zone plain.zone "$key" || fail "ldns-signzone could not sign $work/plain.zone"
mv "$key.key" example.key
printf '%s\n' "$app_version" > "$stamp"
