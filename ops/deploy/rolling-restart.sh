#!/bin/sh
# Restarts the containers of docker-compose.yml one after the other, each only when the one before it is well again, so
# that the service goes on meanwhile. Without arguments: all; else the services named.
#
#   sh ops/deploy/rolling-restart.sh [service ...]
#   RECREATE=1 sh ops/deploy/rolling-restart.sh edge     # also takes up a new image or configuration
#
# Arguments for docker compose itself (further files, a project's name) go into COMPOSE_FILE and COMPOSE_PROJECT_NAME.
set -eu
cd "$(dirname "$0")/../.."
WELL_WITHIN_SECONDS=180

compose() { docker compose "$@"; }

# Healthy where the container has a check, else running for a moment.
well() {
  docker inspect --format '{{if .State.Health}}{{.State.Health.Status}}{{else}}{{.State.Status}}{{end}}' "$1"
}

until_well() {
  left=$WELL_WITHIN_SECONDS
  while :; do
    case "$(well "$1" 2>/dev/null || true)" in healthy | running) return 0 ;; esac
    left=$((left - 1))
    if [ "$left" -le 0 ]; then
      echo "$2 is not well after $WELL_WITHIN_SECONDS s; the rest is left as it is" >&2
      exit 1
    fi
    sleep 1
  done
}

[ $# -gt 0 ] || set -- nats-1 nats-2 nats-3 postgres actors queries webhooks edge proxy
for service in "$@"; do
  for container in $(compose ps --quiet "$service"); do
    name=$(docker inspect --format '{{.Name}}' "$container" | tr -d /)
    if [ "${RECREATE:-}" = 1 ]; then
      # compose makes a missing container of a service anew, from the image and configuration of now.
      docker stop "$container" >/dev/null
      docker rm "$container" >/dev/null
      compose up --detach --no-deps --no-recreate "$service" >/dev/null 2>&1
      # It may have another name than the one that went.
      for one in $(compose ps --quiet "$service"); do until_well "$one" "$service"; done
    else
      docker restart --time 60 "$container" >/dev/null
      until_well "$container" "$name"
    fi
    echo "$name is back"
  done
done
