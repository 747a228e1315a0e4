#!/bin/sh
# From an unpacked release to a running Parcela on Debian, step by step: docs/installing.md says the same by hand.
# What is done already stays as it is: run it again after each step that it asks for, and for every new version.
set -eu
umask 077

usage() {
  cat <<'TEXT'
deploy/debian/install.sh [--dry-run] [--direct] [--database HOST:PORT] [--psql COMMAND] [--proxy haproxy|nginx] [--ports 'PORT PORT']

Run by root from an unpacked release. It makes the account, /etc/parcela, the key, both roles and the database, units with
the drop-ins of the files that are there, migrates, and starts the processes one after the other.

  --dry-run    says what it would do, and changes nothing
  --direct     Rede or Cielo is the acquirer, and there is no bridge
  --database   the PostgreSQL as Parcela reaches it; 127.0.0.1:5432 unless another one is named
  --psql       how to reach it as somebody who may make roles: 'runuser -u postgres -- psql' unless it is said otherwise
  --proxy      puts docs/proxy's file for it in its place, and keeps what was there as *.before-parcela
  --ports      of the processes: '8081 8082'
TEXT
}

database=127.0.0.1:5432
psql='runuser -u postgres -- psql'
proxy=
ports='8081 8082'
dry=
direct=
while [ $# -gt 0 ]; do
  case $1 in
    --dry-run) dry=1 ;;
    --direct) direct=1 ;;
    --database) database=$2; shift ;;
    --psql) psql=$2; shift ;;
    --proxy) proxy=$2; shift ;;
    --ports) ports=$2; shift ;;
    --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
case $proxy in ''|haproxy|nginx) ;; *) usage >&2; exit 2 ;; esac
if [ -n "$proxy" ] && [ "$ports" != '8081 8082' ]; then
  echo '--proxy places a file for the ports 8081 and 8082' >&2; exit 2
fi

home=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
etc=/etc/parcela
units=/etc/systemd/system
stale=/run/parcela-to-be-restarted
late=
changed=

ok() { echo "ok    $*"; }
# Says what is done, and whether to do it.
todo() {
  changed=1
  if [ -n "$dry" ]; then echo "would $*"; return 1; fi
  # Until the processes were started anew, whichever run does it.
  [ -n "$late" ] || : > "$stale"
  echo "do    $*"
}
# What only the operator has.
wants() {
  echo "WANTS $*"
  [ -z "$dry" ] || return 0
  echo "      then run this again"
  exit 1
}

# put FROM TO MODE OWNER: a file as it is shipped.
put() {
  if cmp -s "$1" "$2"; then ok "$2"
  elif todo "$2"; then install -D -m "$3" -o "${4%:*}" -g "${4#*:}" "$1" "$2"
  fi
}

own() {
  if [ "$(stat -c '%U:%G %a' "$1")" = "$2 $3" ]; then return; fi
  if todo "$1 belongs to $2, mode $3"; then chown "$2" "$1"; chmod "$3" "$1"; fi
}

machine() {
  [ "$(id -u)" = 0 ] || { echo "run this as root: it makes an account and units" >&2; exit 1; }
  case $home in
    /root/*|/home/*|/tmp/*)
      echo "unpack the release where the units can read it: tar xzf … -C /opt, not in $home" >&2; exit 1 ;;
  esac
  cd /
  command -v curl > /dev/null || { echo "apt-get install curl: it asks whether the processes are ready" >&2; exit 1; }
  "$home/bin/parcela" help > /dev/null
  command -v systemctl > /dev/null || { echo "there is no systemd here: docs/installing.md has other ways" >&2; exit 1; }
}

account() {
  if id parcela > /dev/null 2>&1; then ok 'the account parcela'
  elif todo 'the account parcela'; then
    useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin parcela
  fi
}

# link TO FROM
link() {
  if [ "$(readlink "$2" || true)" = "$1" ]; then ok "$2"
  elif todo "$2 leads to $1"; then
    mkdir -p "$(dirname "$2")"
    ln -sfn "$1" "$2"
  fi
}

# Owned by root: the account of the service reads what is no secret, and the units are handed the rest.
settings() {
  if [ -d "$etc" ]; then ok "$etc"
  elif todo "$etc"; then install -d "$etc"
  fi
  [ -e "$etc/parcela.env" ] || put "$home/deploy/debian/parcela.env" "$etc/parcela.env" 640 root:root
  if [ -s "$etc/key" ]; then ok "$etc/key"
  elif todo "$etc/key: keep a copy in another place than the database"; then
    parcela_quietly key create --for environment > "$etc/key.new"
    mv "$etc/key.new" "$etc/key"
  fi
  [ -d "$etc" ] && id parcela > /dev/null 2>&1 || return 0
  own "$etc" root:parcela 750
  for file in "$etc"/*; do
    [ -f "$file" ] && [ ! -L "$file" ] || continue
    case $file in
      *.env|*-ca.pem) own "$file" root:parcela 640 ;;
      *) own "$file" root:root 600 ;;
    esac
  done
}

# The passwords are kept before the roles have them: a run that was cut short goes on with the same.
roles() {
  if [ -s "$etc/database-url" ]; then ok "$etc/database-url"; return; fi
  todo "the roles parcela_owner and parcela_runtime, and the database parcela" || return 0
  there=$($psql --no-psqlrc -tAc "select 1 from pg_roles where rolname = 'parcela_runtime'") ||
    wants "a way to PostgreSQL as somebody who may make roles: --psql 'psql -h … -U …'"
  [ -z "$there" ] || [ -s "$etc/runtime.new" ] ||
    wants "database-url and owner-database-url in $etc, from the machine that made the roles: they are there already"
  tls=
  case $database in 127.*|localhost*|'[::1]'*) ;; *) tls='?sslmode=verify-full' ;; esac
  [ ! -e "$etc/database-ca.pem" ] || tls="?sslmode=verify-full&sslrootcert=$etc/database-ca.pem"
  for role in owner runtime; do
    [ -s "$etc/$role.new" ] || od -An -tx1 -N24 /dev/urandom | tr -d ' \n' > "$etc/$role.new"
  done
  owner=$(cat "$etc/owner.new")
  runtime=$(cat "$etc/runtime.new")
  $psql --quiet --no-psqlrc --set ON_ERROR_STOP=1 > /dev/null <<SQL || wants "a role of PostgreSQL that may make roles and databases: --psql 'psql -h … -U …'"
-- A password stands in no log of the server; who is no superuser may not say so.
select set_config(name, value, false)
  from (values ('log_statement', 'none'), ('log_min_duration_statement', '-1'), ('log_min_error_statement', 'panic')) s (name, value)
  where (select rolsuper from pg_roles where rolname = current_user);
select 'create role parcela_owner login' where to_regrole('parcela_owner') is null \gexec
select 'create role parcela_runtime login' where to_regrole('parcela_runtime') is null \gexec
alter role parcela_owner password '$owner';
alter role parcela_runtime password '$runtime';
select 'create database parcela owner parcela_owner'
  where not exists (select from pg_database where datname = 'parcela') \gexec
SQL
  echo "postgres://parcela_owner:$owner@$database/parcela$tls" > "$etc/owner-database-url"
  echo "postgres://parcela_runtime:$runtime@$database/parcela$tls" > "$etc/database-url"
  rm "$etc/owner.new" "$etc/runtime.new"
}

# What Parcela itself would refuse by name is left to it: this is what it cannot start without.
given() {
  [ -e "$etc/parcela.env" ] || return 0
  [ -n "$direct" ] || [ -s "$etc/database-url" ] || grep -q '^PARCELA_ACQUIRER_URL=.' "$etc/parcela.env" ||
    wants "the address of your bridge, behind PARCELA_ACQUIRER_URL= in $etc/parcela.env; --direct: Rede or Cielo, without one"
  if grep -q '^PARCELA_ACQUIRER_URL=.*https' "$etc/parcela.env"; then
    [ -s "$etc/acquirer-token" ] || [ -s "$etc/acquirer-client.pem" ] ||
      wants "what proves to the bridge who asks: $etc/acquirer-token, or $etc/acquirer-client.pem with acquirer-client.key"
  fi
  for name in acquirer bank pix antifraud; do
    [ ! -e "$etc/$name-client.pem" ] || [ -s "$etc/$name-client.key" ] || wants "$etc/$name-client.key, the key of $name-client.pem"
  done
}

# A drop-in belongs beside its unit as long as its file is there.
wanted() {
  case $1 in
    console) grep -qs '^PARCELA_CONSOLE_ORIGIN=.' "$etc/parcela.env" ;;
    *-client) [ -s "$etc/$1.pem" ] ;;
    *-ca) [ -s "$etc/$1.pem" ] ;;
    *) [ -s "$etc/$1" ] ;;
  esac
}

unit_files() {
  before=$changed
  changed=
  for unit in parcela@.service parcela-migrate.service; do
    put "$home/deploy/systemd/$unit" "$units/$unit" 644 root:root
    for shipped in "$home"/deploy/systemd/parcela@.service.d/*.conf; do
      name=$(basename "$shipped" .conf)
      placed=$units/$unit.d/$name.conf
      if wanted "$name"; then put "$shipped" "$placed" 644 root:root
      elif cmp -s "$shipped" "$placed" && todo "$placed is taken away: its file is gone"; then rm "$placed"
      fi
    done
    [ ! -d "$units/$unit.d" ] || chmod 755 "$units/$unit.d"
  done
  if [ -n "$changed" ] && [ -z "$dry" ]; then systemctl daemon-reload; fi
  changed=$changed$before
}

migrate() {
  [ -z "$dry" ] || { echo "would migrate, if there is anything to apply"; return; }
  plan=$(parcela_quietly migrate --dry-run --json)
  case $plan in
    *'"pending":[]'*) ok 'the schema is of this version' ;;
    *) todo 'the schema: systemctl start parcela-migrate'; systemctl start parcela-migrate ||
      { echo "it failed: journalctl -u parcela-migrate" >&2; exit 1; } ;;
  esac
}

# Without a bridge a provider is added by hand: its key comes from a file of the operator's.
acquirer() {
  [ -z "$dry" ] && ! grep -q '^PARCELA_ACQUIRER_URL=.' "$etc/parcela.env" || return 0
  case $(parcela_quietly provider list --json) in
    *'"kind":"acquirer"'*) ok 'an acquirer was added' ;;
    *) wants "an acquirer: parcela provider add --kind acquirer … (docs/en/acquirers.md), or PARCELA_ACQUIRER_URL= in $etc/parcela.env" ;;
  esac
}

# Its words only where it fails.
parcela_quietly() {
  said=$(mktemp)
  "$home/bin/parcela" "$@" 2> "$said" || { cat "$said" >&2; rm "$said"; exit 1; }
  rm "$said"
}

# One after the other: the proxy finds the one that serves.
processes() {
  for port in $ports; do
    if [ -n "$dry" ]; then echo "would start parcela@$port, or start it anew after a change"; continue; fi
    if ! systemctl is-active --quiet "parcela@$port"; then
      todo "parcela@$port"; systemctl enable --now "parcela@$port"
    elif [ -e "$stale" ]; then
      todo "parcela@$port anew"; systemctl restart "parcela@$port"
    else ok "parcela@$port"
    fi
    ready "$port" || { echo "parcela@$port is not ready: journalctl -u parcela@$port" >&2; exit 1; }
  done
}

ready() {
  tries=0
  until curl --silent --fail --max-time 5 --output /dev/null "http://127.0.0.1:$1/health/ready"; do
    tries=$((tries + 1))
    [ $tries -lt 120 ] && systemctl is-active --quiet "parcela@$1" || return 1
    sleep 0.5
  done
}

in_front() {
  case $proxy in
    haproxy) from=$home/docs/proxy/haproxy.cfg to=/etc/haproxy/haproxy.cfg tls=/etc/haproxy/parcela.pem ;;
    nginx) from=$home/docs/proxy/nginx.conf to=/etc/nginx/conf.d/parcela.conf tls=/etc/nginx/parcela.pem ;;
    *) ok 'the proxy is yours: docs/proxy has files for HAProxy and nginx'; return ;;
  esac
  command -v "$proxy" > /dev/null || wants "apt-get install $proxy"
  [ -s "$tls" ] || wants "the certificate of your address with its chain in $tls (HAProxy: with its key; nginx: the key in parcela.key beside it)"
  if cmp -s "$from" "$to"; then ok "$to"
  elif grep -qs '^# Parcela behind' "$to"; then ok "$to is yours, and left as it is"
  else
    todo "$to" || return 0
    [ ! -e "$to" ] || cp -p "$to" "$to.before-parcela"
    install -m 644 "$from" "$to"
    if [ "$proxy" = haproxy ]; then haproxy -c -q -f "$to"; else nginx -t -q; fi || {
      # Else the next run would take it for checked.
      if [ -e "$to.before-parcela" ]; then mv "$to.before-parcela" "$to"; else rm "$to"; fi
      exit 1
    }
    systemctl enable --quiet "$proxy"
    systemctl reload-or-restart "$proxy"
  fi
}

machine
account
link "$home" /opt/parcela
link /opt/parcela/bin/parcela /usr/local/bin/parcela
settings
given
roles
unit_files
migrate
acquirer
late=1
processes
[ -n "$dry" ] || rm -f "$stale"
in_front
if [ -n "$dry" ]; then echo 'nothing was changed'
elif [ -z "$changed" ]; then echo 'everything was there: nothing was changed'
else echo 'next: parcela doctor, then the first sale (docs/installing.md)'
fi
