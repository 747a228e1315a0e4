#!/bin/sh
# The two roles of docs/audit.md; PostgreSQL's image runs this once, on an empty database.
set -eu
psql --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" \
  --set owner="$(cat /run/secrets/owner-password)" --set runtime="$(cat /run/secrets/runtime-password)" <<'SQL'
create role parcela_owner login password :'owner';
create role parcela_runtime login password :'runtime';
create database parcela owner parcela_owner;
SQL
