#!/bin/sh
# Draws the passwords and the service's key for docker-compose.yml into .env, once. Keep a copy of that file apart from
# the machine: without the key a backup's sealed secrets cannot be opened, and the service is another one to its clients.
set -eu
cd "$(dirname "$0")/../.."
command -v openssl >/dev/null || { echo "install openssl first" >&2; exit 1; }
# A letter first: the nats-server's configuration would read a bare number as one.
password() { printf 'p%s' "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')"; }
# The public half, which is all that edges get: the seed in the frame of RFC 8410 for openssl, and the last 32 bytes of what it says.
public_of() {
  { printf '\060\056\002\001\000\060\005\006\003\053\145\160\004\042\004\040'; printf '%s' "$1" | base64 -d; } |
    openssl pkey -inform DER -pubout -outform DER | tail -c 32 | base64
}
umask 077
if [ -e .env ]; then
  # Of an older release: what it lacks is added, what it has stays as it is.
  key=$(sed -n 's/^HUB_SERVER_KEY=//p' .env)
  added=0
  add() { grep -q "^$1=" .env || { echo "$1=$2" >> .env; echo "added $1"; added=1; }; }
  add HUB_SERVER_PUBLIC_KEY "$(public_of "$key")"
  add HUB_ADDRESS_KEY "$(head -c 32 /dev/urandom | base64)"
  add HUB_NATS_MAIL_PASSWORD "$(password)"
  add HUB_MAIL_KEY "$(head -c 32 /dev/urandom | base64)"
  add HUB_NATS_KEEPER_PASSWORD "$(password)"
  add HUB_VAULT_KEY "$(head -c 32 /dev/urandom | base64)"
  add HUB_NATS_RUNTIME_PASSWORD "$(password)"
  [ "$added" = 1 ] || { echo ".env is there already and stays as it is" >&2; exit 1; }
  exit 0
fi
{
  for name in NATS_ROUTE NATS_EDGE NATS_ACTORS NATS_QUERIES NATS_WEBHOOKS NATS_MAIL NATS_KEEPER NATS_RUNTIME NATS_OPERATOR POSTGRES; do
    echo "HUB_${name}_PASSWORD=$(password)"
  done
  key=$(head -c 32 /dev/urandom | base64)
  echo "HUB_SERVER_KEY=$key"
  echo "HUB_SERVER_PUBLIC_KEY=$(public_of "$key")"
  echo "HUB_ADDRESS_KEY=$(head -c 32 /dev/urandom | base64)"
  echo "HUB_MAIL_KEY=$(head -c 32 /dev/urandom | base64)"
  echo "HUB_VAULT_KEY=$(head -c 32 /dev/urandom | base64)"
} > .env.new
mv .env.new .env
echo "drawn into .env"
