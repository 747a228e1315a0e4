#!/bin/sh
# Makes the secrets of compose.yaml, and a certificate for localhost, once; what is there stays.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets tls
make() { [ -e "secrets/$1" ] || openssl rand -hex 24 > "secrets/$1"; }
make postgres-password
make owner-password
make runtime-password
printf 'postgres://parcela_owner:%s@postgres/parcela' "$(cat secrets/owner-password)" > secrets/owner-database-url
printf 'postgres://parcela_runtime:%s@postgres/parcela' "$(cat secrets/runtime-password)" > secrets/database-url
[ -e tls/parcela.pem ] || openssl req -x509 -newkey rsa:2048 -nodes -days 90 -subj /CN=localhost \
  -addext subjectAltName=DNS:localhost -keyout tls/parcela.key -out tls/parcela.pem 2> /dev/null
# Containers of another account read each of the files, which are mounted one by one; on this machine nobody passes
# through the folders but their owner. The key is read by nginx as root.
chmod 700 secrets tls
chmod 644 secrets/* tls/parcela.pem
chmod 600 tls/parcela.key
