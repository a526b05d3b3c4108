/**
 * Unpacks an agent's files in its compartment, as the compartment's user and within its limits.
 *
 * Invariants
 *  - No archive is unpacked on the host itself. So a malicious one can do no more than the program in the container.
 *  - An archive is first unpacked into a new folder, and then copied into place. So an archive that cannot be unpacked
 *    changes no other file.
 *  - Symbolic links in the destination, and on the path to it, are replaced or refused. So nothing is written outside
 *    of the folder.
 */
import { open } from "node:fs/promises"
import type Docker from "dockerode"
import { destOf, UPLOAD_PREFIX } from "../../../schemas/compartment/fields.ts"
import { AGENT_UID } from "./container.ts"
import { execute, TooLong } from "./exec.ts"
import { HostFault, oneLine } from "./fault.ts"
import type { Applied, Upload } from "./types.ts"

const UNPACK_SECONDS = 60
/** The programs in the container have their own time limit. This one is for a container that does not react. */
const TIMEOUT_MS = (UNPACK_SECONDS + 30) * 1000

/** Names may have words of any language and characters of shell patterns, so the shell expands no patterns (`-f`). */
export const SCRIPT = `
set -euf
umask 022
dest=$1 id=$2
mkdir -p /data/work
root=$(cd -P /data/work && pwd)
[ "$root" = /data/work ] || { echo "/data/work is a link" >&2; exit 1; }
cd /data/work
at=.
old=$IFS; IFS=/
for part in $dest; do
  at=$at/$part
  [ ! -L "$at" ] || { echo "$dest leads over a link" >&2; exit 1; }
done
IFS=$old
fresh=/data/work/${UPLOAD_PREFIX}$id
trap 'rm -rf -- "$fresh"' EXIT
rm -rf -- "$fresh"
mkdir -- "$fresh"
timeout -s KILL ${UNPACK_SECONDS} tar -xzf - -C "$fresh" --no-same-owner --no-same-permissions
chmod -R u-s,g-s,u+rwX -- "$fresh"
mkdir -p -- "$at"
timeout -s KILL ${UNPACK_SECONDS} cp -a -T --remove-destination -- "$fresh" "$at"
`

const ID = /^[A-Za-z0-9_-]{1,64}$/

/** Rejects if the container or the engine is gone; a later try may succeed. */
export async function applyUpload(container: Docker.Container, { id, dest, file }: Upload): Promise<Applied> {
  // Checked again, although the service did, because this is the last place to refuse it.
  if (destOf(dest) !== dest || !ID.test(id)) return { ok: false, why: "the folder's name is refused" }
  const stdin = (await open(file)).createReadStream()
  // An unreadable file fails the call that reads it, and nothing else needs to know.
  stdin.on("error", () => undefined)
  const { exitCode, output } = await execute(container, {
    user: `${AGENT_UID}:${AGENT_UID}`,
    argv: ["/bin/bash", "-c", SCRIPT, "apply", dest === "" ? "." : dest, id],
    stdin,
    detach: false,
    timeoutMs: TIMEOUT_MS
  })
    .catch(async (cause: unknown) => {
      // Programs of the compartment may have stopped the processes that unpack.
      if (cause instanceof TooLong) return { exitCode: null, output: cause.message }
      if (await isRunning(container)) throw cause
      throw new HostFault("the compartment ended while files were applied", { cause })
    })
    .finally(() => stdin.destroy())
  if (exitCode === 0) return { ok: true }
  const why = oneLine(output.split("\n").find((line) => line.trim() !== "") ?? "")
  return { ok: false, why: why === "" ? `unpacking ended with status ${exitCode}` : why }
}

async function isRunning(container: Docker.Container): Promise<boolean> {
  return container.inspect().then(
    ({ State }) => State.Running,
    () => false
  )
}
