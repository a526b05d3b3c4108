#!/bin/sh
# Prints the environment of one role for a machine of its own, from .env (ops/deploy/secrets.sh): what all processes
# share (`common`), or the secrets that one role needs and no others. See ops/docs/several-machines.md.
#
#   HUB_NATS_HOSTS=nats-1.internal,nats-2.internal,nats-3.internal sh ops/deploy/role-env.sh edge > edge.env
set -eu
cd "$(dirname "$0")/../.."
[ -r .env ] || { echo "run sh ops/deploy/secrets.sh first" >&2; exit 1; }
: "${HUB_NATS_HOSTS:?names of the nats-servers, with commas between}"

value() { sed -n "s/^$1=//p" .env | tail -n 1; }
# A name that .env has not, or has empty, is left out.
copy() { for name in "$@"; do set_to="$(value "$name")"; [ -z "$set_to" ] || echo "$name=$set_to"; done; }
# The first address names the user for all.
bus() {
  password="$(value "HUB_NATS_$(echo "$1" | tr '[:lower:]' '[:upper:]')_PASSWORD")"
  [ -n "$password" ] || { echo ".env has no password of the bus user $1" >&2; exit 1; }
  first=${HUB_NATS_HOSTS%%,*}
  rest=$(echo "$HUB_NATS_HOSTS" | tr ',' '\n' | sed -n '2,$ s|\(.*\)|,tls://\1:4222|p' | tr -d '\n')
  echo "HUB_NATS_URL=tls://$1:$password@$first:4222$rest"
}
monitors() { echo "HUB_NATS_MONITOR=$(echo "$HUB_NATS_HOSTS" | sed 's|\([^,]*\)|http://\1:8222|g')"; }
tables() {
  : "${HUB_POSTGRES_HOST:?name of the machine with Postgres}"
  echo "HUB_DATABASE_URL=postgres://hub:$(value HUB_POSTGRES_PASSWORD)@$HUB_POSTGRES_HOST:5432/hub?sslmode=verify-full"
}

case "${1:-}" in
  common)
    echo "HUB_ENV=production"
    echo "HUB_METRICS_PORT=9464"
    echo "NODE_EXTRA_CA_CERTS=/etc/hub/ca.pem"
    copy HUB_NAME HUB_BASE_URL HUB_HOSTS HUB_MAIL_PROVIDER HUB_MAIL_DOMAIN HUB_MAIL_HOST \
      HUB_SES_TOPICS HUB_SES_CERT_HOSTS AWS_REGION OTEL_EXPORTER_OTLP_ENDPOINT
    ;;
  edge)
    bus edge
    copy HUB_SERVER_PUBLIC_KEY HUB_ADDRESS_KEY HUB_PROBES
    echo "HUB_TRUST_PROXY=1"
    echo "HUB_LEAVE_SECONDS=2"
    ;;
  actors)
    bus actors
    monitors
    tables
    echo "HUB_STREAM_REPLICAS=3"
    copy HUB_SERVER_KEY HUB_MAIL_KEY HUB_MAIL_REQUIRE_OWNER HUB_CONSOLE_URL HUB_QUESTIONS HUB_ALLOW_PUBLIC_QUESTIONS HUB_LETTERS \
      HUB_LETTERS_FROM HUB_SMTP_URL HUB_TELEGRAM_TOKEN HUB_TELEGRAM_URL HUB_VAPID_KEY HUB_DNS_SERVERS
    ;;
  queries)
    bus queries
    tables
    ;;
  webhooks) bus webhooks ;;
  keeper)
    bus keeper
    copy HUB_VAULT_KEY
    ;;
  mail)
    bus mail
    monitors
    echo "HUB_MAIL_PORT=2525"
    copy HUB_MAIL_KEY HUB_MAIL_TLS_CERT HUB_MAIL_TLS_KEY HUB_MAIL_RELAY HUB_MAIL_ABUSE_CONTACT HUB_MAIL_POSTMASTER \
      HUB_CLAMD HUB_RSPAMD_URL HUB_DNS_SERVERS HUB_SES_CONFIGURATION_SET AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
    ;;
  runtime)
    bus runtime
    copy HUB_RUNTIME_KEY
    ;;
  operator)
    bus operator
    monitors
    tables
    echo "HUB_STREAM_REPLICAS=3"
    copy HUB_SERVER_KEY HUB_MAIL_KEY HUB_QUESTIONS
    ;;
  nats)
    # The machine adds its own name, addresses, certificates and routes.
    copy HUB_NATS_ROUTE_PASSWORD HUB_NATS_EDGE_PASSWORD HUB_NATS_ACTORS_PASSWORD HUB_NATS_QUERIES_PASSWORD \
      HUB_NATS_WEBHOOKS_PASSWORD HUB_NATS_MAIL_PASSWORD HUB_NATS_KEEPER_PASSWORD HUB_NATS_RUNTIME_PASSWORD \
      HUB_NATS_OPERATOR_PASSWORD
    ;;
  *)
    echo "usage: role-env.sh common|edge|actors|queries|webhooks|keeper|mail|runtime|operator|nats" >&2
    exit 1
    ;;
esac
