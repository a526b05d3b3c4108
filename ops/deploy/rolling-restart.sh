#!/bin/sh
# Restarts the containers of docker-compose.yml one after the other, each only when the one before it is healthy again,
# so that the service goes on meanwhile. A service keeps its number of containers. Without arguments it restarts every
# service that runs, otherwise the services named.
#
#   sh ops/deploy/rolling-restart.sh [service ...]
#   RECREATE=1 sh ops/deploy/rolling-restart.sh edge     # also takes up a new image or configuration
#
# Arguments for docker compose itself (further files, a project's name) go into COMPOSE_FILE and COMPOSE_PROJECT_NAME.
set -eu
cd "$(dirname "$0")/../.."
WELL_WITHIN_SECONDS=180

# With every profile: `mail` is in one.
compose() { docker compose --profile '*' "$@"; }

name_of() { docker inspect --format '{{.Name}}' "$1" | tr -d /; }

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

# Replaces a container by a new one from the image and configuration of now, which may have another name.
recreate() {
  docker stop "$1" >/dev/null
  docker rm "$1" >/dev/null
  others=$(compose ps --quiet "$2")
  # Without a scale, compose would go to the number in the file.
  compose --progress quiet up --detach --no-deps --no-recreate --scale "$2=$3" "$2"
  made=
  for one in $(compose ps --quiet "$2"); do
    until_well "$one" "$2"
    case "$others" in *"$one"*) ;; *) made=$(name_of "$one") ;; esac
  done
  if [ -z "$made" ]; then
    echo "$2 has no new container; the rest is left as it is" >&2
    exit 1
  fi
  echo "$made is back"
}

[ $# -gt 0 ] || set -- nats-1 nats-2 nats-3 postgres actors keeper queries webhooks mail console edge proxy
for service in "$@"; do
  containers=$(compose ps --quiet "$service")
  count=$(echo "$containers" | wc -w)
  for container in $containers; do
    if [ "${RECREATE:-}" = 1 ]; then
      recreate "$container" "$service" "$((count))"
    else
      name=$(name_of "$container")
      docker restart --time 60 "$container" >/dev/null
      until_well "$container" "$name"
      echo "$name is back"
    fi
  done
done
