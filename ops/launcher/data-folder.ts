/**
 * The data folder and who may use it.
 *
 * - launcher.lock names the one launcher that owns the folder, by pid and start time. It is a link to a finished file,
 *   so it is never seen incomplete. If its owner is gone, only one of the launchers that see it can move it aside.
 * - version.json names the version that made the folder. A folder of another version is refused, never converted.
 * - Other users cannot read the product's files in it (`closeToOthers`).
 * - run.json describes the running processes. It holds the passwords of the operator and of the database, so only the
 *   owner may read it. It is replaced in one step and removed at a clean end.
 * - After a launcher was killed, run.json names the processes that are left. Nodes are ended here, if their environment
 *   proves that they belong to this folder. The modules of the two servers end the servers.
 */
import { randomBytes } from "node:crypto"
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { codeOf, LaunchFault, messageOf } from "./fault.ts"
import { POSTGRES_MAJOR } from "./postgres.ts"
import { endProcess, environmentOf, isRunning, startTimeOf } from "./proc.ts"
import type { Stack } from "./stack.ts"

const LAYOUT = 2
const LOCK_TRIES = 20
const LEFTOVER_GRACE_MS = 4_000

interface Owner {
  readonly pid: number
  readonly startTime: string
}

export interface RunFile {
  readonly nats: { readonly pid: number | null; readonly url: string }
  readonly postgres: { readonly pid: number | null; readonly url: string }
  readonly edges: ReadonlyArray<{ readonly pid: number | null; readonly url: string; readonly metrics: string | null }>
  readonly actors: ReadonlyArray<{ readonly pid: number | null; readonly metrics: string | null }>
  readonly mail?: { readonly pid: number | null; readonly smtp?: string }
  /** The keeper: the process that holds the keys of vaults. */
  readonly keeper?: { readonly pid: number | null }
  readonly runtime?: { readonly pid: number | null }
  readonly console?: { readonly pid: number | null; readonly url: string }
}

export interface DataFolder {
  readonly path: string
  readonly writeRun: (stack: Stack) => void
  /** Removes run.json and the lock. */
  readonly release: () => void
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    return undefined
  }
}

function replaceFile(file: string, value: unknown, mode: number): void {
  const arriving = `${file}.${process.pid}`
  writeFileSync(arriving, `${JSON.stringify(value, null, 2)}\n`, { mode })
  renameSync(arriving, file)
}

function isOwner(value: unknown): value is Owner {
  return (
    typeof value === "object" &&
    value !== null &&
    "pid" in value &&
    typeof value.pid === "number" &&
    "startTime" in value &&
    typeof value.startTime === "string"
  )
}

function livingOwner(lockFile: string): Owner | undefined {
  const owner = readJson(lockFile)
  if (!isOwner(owner)) return undefined
  return isRunning(owner.pid) && startTimeOf(owner.pid) === owner.startTime ? owner : undefined
}

function lock(folder: string): string {
  const lockFile = join(folder, "launcher.lock")
  const ours = `${lockFile}.${randomBytes(6).toString("hex")}`
  writeFileSync(ours, JSON.stringify({ pid: process.pid, startTime: startTimeOf(process.pid) }))
  try {
    for (let attempt = 0; attempt < LOCK_TRIES; attempt++) {
      if (tryLink(ours, lockFile)) return lockFile
      const owner = livingOwner(lockFile)
      if (owner !== undefined) {
        throw new LaunchFault(
          `${folder} is in use by another launcher (pid ${owner.pid}); stop that one or set HUB_DATA to another folder`
        )
      }
      setAside(lockFile, `${ours}.stale`)
    }
  } finally {
    rmSync(ours, { force: true })
  }
  throw new LaunchFault(`${lockFile} changes hands all the time; see that only one launcher uses this folder`)
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") return false
    throw cause
  }
}

function setAside(lockFile: string, aside: string): void {
  try {
    renameSync(lockFile, aside)
  } catch {
    return // Another start was quicker.
  }
  // A new owner may have replaced the lock before the rename. Its lock is put back in this case.
  if (livingOwner(aside) !== undefined) tryLink(aside, lockFile)
  rmSync(aside, { force: true })
}

function checkVersion(folder: string): void {
  const file = join(folder, "version.json")
  const ours = { layout: LAYOUT, postgres: POSTGRES_MAJOR }
  let text: string
  try {
    text = readFileSync(file, "utf8")
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT") throw cause
    return replaceFile(file, ours, 0o600)
  }
  const found = readJson(file)
  if (JSON.stringify(found) === JSON.stringify(ours)) return
  throw new LaunchFault(
    `${folder} was made by another version (${text.replace(/\s+/g, " ").trim().slice(0, 100)}, this one needs ` +
      `${JSON.stringify(ours)}); set HUB_DATA to another folder or move this one away`
  )
}

function pidsIn(value: unknown): ReadonlyArray<number> {
  if (!Array.isArray(value)) return []
  return value.map((entry: unknown) =>
    typeof entry === "object" && entry !== null && "pid" in entry && typeof entry.pid === "number" ? entry.pid : 0
  )
}

async function endLeftovers(folder: string): Promise<void> {
  const run = readJson(join(folder, "run.json"))
  if (typeof run !== "object" || run === null) return
  const pids = [
    ...pidsIn("edges" in run ? run.edges : []),
    ...pidsIn("actors" in run ? run.actors : []),
    ...pidsIn("mail" in run ? [run.mail] : []),
    ...pidsIn("keeper" in run ? [run.keeper] : []),
    ...pidsIn("runtime" in run ? [run.runtime] : []),
    ...pidsIn("console" in run ? [run.console] : [])
  ]
  const ours = pids.filter((pid) => pid > 1 && environmentOf(pid, "HUB_DATA") === folder)
  await Promise.all(ours.map((pid) => endProcess(pid, "SIGTERM", LEFTOVER_GRACE_MS)))
}

export function describeRun(stack: Stack): RunFile {
  return {
    nats: { pid: stack.nats.role?.pid ?? null, url: stack.nats.operatorUrl },
    postgres: { pid: stack.postgres.role?.pid ?? null, url: stack.postgres.url },
    edges: stack.edges.map((edge, index) => ({
      pid: edge.role.pid,
      url: edge.url,
      metrics: stack.metricsOf("edge", index)
    })),
    actors: stack.actors.map((actor, index) => ({ pid: actor.pid, metrics: stack.metricsOf("actor", index) })),
    ...(stack.mail === undefined ? {} : { mail: { pid: stack.mail.role.pid, ...smtpAt(stack.mail.port) } }),
    ...(stack.keeper === undefined ? {} : { keeper: { pid: stack.keeper.pid } }),
    ...(stack.runtime === undefined ? {} : { runtime: { pid: stack.runtime.pid } }),
    ...(stack.console === undefined ? {} : { console: { pid: stack.console.role.pid, url: stack.console.url } })
  }
}

const smtpAt = (port: number | null) => (port === null ? {} : { smtp: `smtp://127.0.0.1:${port}` })

/** The entries of the folder that are closed to other users. The modes of other entries are not changed. */
const OURS = [
  "archive",
  "bin",
  "compiled",
  "coverage",
  "install.lock",
  "launcher.lock",
  "mail.key",
  "nats",
  "outbox",
  "run.json",
  "runtime.key",
  "server.key",
  "test-images",
  "vault.key",
  "version.json"
]
/** Folders that other users must enter: the user that Postgres runs as, and root in a compartment. */
const NOT_OURS_TO_CLOSE = ["postgres", "runtime", "tests"]

/**
 * Makes sure that no other user of this machine can read the log, the keys and the passwords. `isOurs`: the folder
 * itself is closed too.
 */
function closeToOthers(folder: string, isOurs: boolean): void {
  // If this process is root, the user that Postgres runs as must be able to pass through to Postgres's folder.
  if (isOurs) chmodSync(folder, process.getuid?.() === 0 ? 0o711 : 0o700)
  for (const name of readdirSync(folder).filter((one) => OURS.includes(one)))
    chmodSync(join(folder, name), lstatSync(join(folder, name)).mode & 0o700)
}

export async function claimDataFolder(folder: string): Promise<DataFolder> {
  const runFile = join(folder, "run.json")
  let lockFile: string
  try {
    mkdirSync(folder, { recursive: true })
    lockFile = lock(folder)
  } catch (cause) {
    if (cause instanceof LaunchFault) throw cause
    throw new LaunchFault(
      `the data folder ${folder} cannot be written (${codeOf(cause) ?? messageOf(cause)}); ` +
        "make it writable or set HUB_DATA to another folder"
    )
  }
  const release = () => {
    rmSync(runFile, { force: true })
    rmSync(lockFile, { force: true })
  }
  try {
    const isOurs =
      readdirSync(folder).every(
        (name) => OURS.includes(name) || NOT_OURS_TO_CLOSE.includes(name) || name.startsWith("launcher.lock")
      ) || existsSync(join(folder, "version.json"))
    checkVersion(folder)
    closeToOthers(folder, isOurs)
    // Files that processes make later are private as well.
    process.umask(0o077)
    await endLeftovers(folder)
  } catch (cause) {
    rmSync(lockFile, { force: true })
    throw cause
  }
  return { path: folder, writeRun: (stack) => replaceFile(runFile, describeRun(stack), 0o600), release }
}

/** The addresses of a running launcher's servers, or undefined if no launcher runs on the folder. */
export function runningServers(folder: string): { readonly nats: string; readonly postgres: string } | undefined {
  if (livingOwner(join(folder, "launcher.lock")) === undefined) return undefined
  const run = readJson(join(folder, "run.json")) as RunFile | undefined
  if (!run?.nats?.url || !run.postgres?.url) return undefined
  return { nats: run.nats.url, postgres: run.postgres.url }
}
