#!/bin/sh
# What the published image does at its first start with the three names that docker-compose.yml gives it, and no more.
set -eu
bin=/usr/local/pgsql/bin
export LD_LIBRARY_PATH=/usr/local/pgsql/lib
as_postgres() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
mkdir -p "$PGDATA"
chown -R postgres: /var/lib/postgresql
chmod 700 "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  printf '%s' "$POSTGRES_PASSWORD" > /tmp/password
  chown postgres: /tmp/password
  as_postgres "$bin/initdb" --pgdata="$PGDATA" --username="$POSTGRES_USER" --pwfile=/tmp/password \
    --auth=scram-sha-256 --encoding=UTF8 --locale=C >/dev/null
  rm /tmp/password
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  echo "create database $POSTGRES_DB" | as_postgres "$bin/postgres" --single -D "$PGDATA" postgres >/dev/null
fi
exec setpriv --reuid=postgres --regid=postgres --clear-groups \
  "$bin/postgres" -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/tmp
