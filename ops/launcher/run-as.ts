/**
 * Chooses the user that Postgres runs as. Postgres refuses to run with user id 0. So root needs another identity that
 * can still reach Postgres's binaries and data, which may be in a folder that only root can enter. The first of these
 * that works is used:
 *
 * 1. a system user (postgres, else nobody) with its usual rights;
 * 2. that user with the one capability that lets it pass folders closed to it (CAP_DAC_OVERRIDE). Postgres asks with
 *    access() whether it may run its own programs, and access() ignores an ordinary user's capabilities unless the
 *    securebit no_setuid_fixup is set;
 * 3. a user namespace in which root's files appear to belong to an ordinary user.
 *
 * An ordinary user needs none of these.
 */
import { spawnSync } from "node:child_process"
import { lstatSync, readdirSync, readFileSync, lchownSync } from "node:fs"
import { join } from "node:path"
import { LaunchFault } from "./fault.ts"
import { hasSetpriv } from "./tied.ts"

export interface Identity {
  readonly privileges: ReadonlyArray<string>
  readonly wrapper: ReadonlyArray<string>
  /** The owner that the data must have on disk; undefined: this user. */
  readonly owner: { readonly uid: number; readonly gid: number } | undefined
}

const PROBE_TIMEOUT_MS = 10_000
const SYSTEM_USERS = ["postgres", "nobody"]
const MAPPED_USER = 65_534

const ourselves: Identity = { privileges: [], wrapper: [], owner: undefined }

function systemUser(): { uid: number; gid: number } | undefined {
  const rows = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
  const row = SYSTEM_USERS.map((name) => rows.find((fields) => fields[0] === name)).find((found) => found !== undefined)
  if (row === undefined) return undefined
  return { uid: Number(row[2]), gid: Number(row[3]) }
}

function candidates(): ReadonlyArray<Identity> {
  const namespace: Identity = {
    privileges: [],
    wrapper: ["unshare", "--user", `--map-user=${MAPPED_USER}`, "--"],
    owner: undefined
  }
  const user = systemUser()
  if (user === undefined) return [namespace]
  const become = [`--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups"]
  const passFolders = ["--securebits=+no_setuid_fixup", "--inh-caps=+dac_override", "--ambient-caps=+dac_override"]
  return [
    { privileges: become, wrapper: [], owner: user },
    { privileges: [...become, ...passFolders], wrapper: [], owner: user },
    namespace
  ]
}

/**
 * With `--show`, initdb makes the same checks as the server without changing anything: it refuses root, and looks for
 * the server's binary and files. It runs inside of the folder, which shows that the data can be reached.
 */
function works(identity: Identity, initdb: string, folder: string): boolean {
  const script = `cd "$1" && exec "$2" --show -D "$1"`
  const [program = "", ...args] = [
    ...identity.wrapper,
    "setpriv",
    ...identity.privileges,
    "--",
    "sh",
    "-c",
    script,
    "sh",
    folder,
    initdb
  ]
  return spawnSync(program, args, { stdio: "ignore", timeout: PROBE_TIMEOUT_MS }).status === 0
}

export function chooseIdentity(initdb: string, folder: string): Identity {
  if (process.getuid?.() !== 0) return ourselves
  const found = hasSetpriv() ? candidates().find((identity) => works(identity, initdb, folder)) : undefined
  if (found !== undefined) return found
  throw new LaunchFault(
    `Postgres does not run as root and no other identity can reach ${folder}; ` +
      "start as an ordinary user, or set HUB_DATABASE_URL to a running Postgres"
  )
}

/** Makes the identity the owner of a folder and its content, if it is not yet. */
export function giveTo(identity: Identity, folder: string): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = identity.owner ?? { uid: 0, gid: 0 }
  if (lstatSync(folder).uid === uid) return
  const give = (path: string): void => {
    if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) give(join(path, name))
    // The folder itself is changed last: its owner shows that all of it is done.
    lchownSync(path, uid, gid)
  }
  give(folder)
}
