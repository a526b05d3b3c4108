/**
 * The first process of a compartment. It is a constant without secrets, mounted read-only into the container.
 *
 * Invariants
 *  - It keeps both output FIFOs open for reading and writing. So a program never gets SIGPIPE and never waits to open
 *    them, even while nobody reads.
 *  - It waits for the program's command and environment (given.ts), and starts nothing before they are complete. If the
 *    host died halfway, the first half is dropped, and it waits again.
 *  - SIGTERM is passed on to the process group of the program, which is not the first process of the namespace, so that
 *    this script can reap orphaned processes. A signal that comes before the group's number is known is passed on
 *    later.
 *  - It ends with the status of the program, 128 + n after a signal, once its last lines are read, or after about two
 *    seconds. Everything else in the container ends with it.
 */
export const ENTRY = `#!/bin/bash
exec 5<>/run/hub/out 6<>/run/hub/err </dev/null >/dev/null 2>&1
exec 7<> <(:)
set -m
umask 022
hub_child= hub_signalled= hub_early= hub_status=0
trap 'hub_signalled=1; if [ -n "$hub_child" ]; then kill -TERM -- "-$hub_child"; else hub_early=1; fi' TERM

hub_await() {
  while :; do
    hub_signalled=
    wait "$1"
    hub_status=$?
    [ -n "$hub_signalled" ] || return
  done
}

while :; do
  (umask 077; exec cat /run/hub/env >/tmp/.hub-given) &
  hub_child=$!
  [ -z "$hub_early" ] || exit 143
  hub_await "$hub_child"
  hub_child=
  [ "$hub_status" -lt 128 ] || exit "$hub_status"
  mapfile -d '' -t hub_given </tmp/.hub-given
  rm -f /tmp/.hub-given
  hub_count=\${hub_given[0]:-x}
  if [[ $hub_count =~ ^[0-9]{1,6}$ ]] && [ "\${#hub_given[@]}" -eq $((hub_count + 3)) ] &&
    [ "\${hub_given[hub_count + 2]}" = . ]; then break; fi
done

(
  hub_command=\${hub_given[1]} hub_last=$((hub_count + 1))
  for ((hub_at = 2; hub_at <= hub_last; hub_at++)); do export -- "\${hub_given[hub_at]}"; done
  [ -d /data/work ] || mkdir -p /data/work
  cd /data/work || cd /data || cd /
  unset hub_given hub_at
  exec /bin/bash -lc "$hub_command" >&5 2>&6 5>&- 6>&- 7>&-
) &
hub_child=$!
[ -z "$hub_early" ] || kill -TERM -- "-$hub_child"
unset hub_given
hub_await "$hub_child"
hub_child=
kill -KILL -1
for ((hub_at = 0; hub_at < END_STEPS; hub_at++)); do
  read -r -t 0 -u 5 || read -r -t 0 -u 6 || break
  read -r -t 0.05 -u 7
done
exit "$hub_status"
`.replace("END_STEPS", "40")

/**
 * The name server of programs: a documentation address (RFC 5737). The host's rules redirect every query to the host's
 * own resolver; without the rules there is no answer. The engine's resolver is not used, because it ends with the
 * engine.
 */
export const RESOLV_CONF = "nameserver 192.0.2.53\noptions timeout:2 attempts:3\n"
