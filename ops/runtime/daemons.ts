/**
 * Programs that outlive this process. Each has its own session, writes to a log file, and has only a fixed PATH in its
 * environment. A process is recognized by its id and its arguments, which name a folder that no other process uses. The
 * id alone may belong to another process by now.
 */
import { spawn } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { mkdir, readFile, stat, truncate } from "node:fs/promises"
import { dirname } from "node:path"
import { codeOf, LaunchFault } from "../launcher/fault.ts"
import { commandOf, endProcess, isRunning } from "../launcher/proc.ts"

export const LOG_MAX_BYTES = 8 * 1024 * 1024
const USUAL_UMASK = 0o022
const LOG_TOLD_CHARS = 300
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

export interface Daemon {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly log: string
}

/** Empties a log that is too long. The daemon continues to write at its beginning. */
export const boundLog = async (log: string): Promise<void> => {
  const size = await stat(log).then(
    (found) => found.size,
    () => 0
  )
  if (size > LOG_MAX_BYTES) await truncate(log, 0)
}

export const startDaemon = async ({ program, args, log }: Daemon): Promise<number> => {
  await mkdir(dirname(log), { recursive: true })
  await boundLog(log)
  const output = openSync(log, "a", 0o600)
  // The daemon's files must be readable for others, unlike ours. The child inherits the umask when it starts.
  const ours = process.umask(USUAL_UMASK)
  try {
    const child = spawn(program, [...args], {
      cwd: "/",
      env: { PATH },
      detached: true,
      stdio: ["ignore", output, output]
    })
    process.umask(ours)
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve)
      child.once("error", (cause) => reject(new LaunchFault(`cannot run ${program}: ${cause.message}`)))
    })
    child.unref()
    return child.pid ?? -1
  } finally {
    process.umask(ours)
    closeSync(output)
  }
}

/** The process of a pid file whose arguments contain `mark`; `null` if there is none. */
export const livingDaemon = async (pidFile: string, mark: string): Promise<number | null> => {
  const text = await readFile(pidFile, "utf8").catch((cause: unknown) => {
    if (codeOf(cause) === "ENOENT") return ""
    throw cause
  })
  const pid = Number(text.trim())
  return pid > 1 && isRunning(pid) && commandOf(pid).includes(mark) ? pid : null
}

export const endDaemon = async (pidFile: string, mark: string, graceMs: number): Promise<void> => {
  const pid = await livingDaemon(pidFile, mark)
  if (pid !== null) await endProcess(pid, "SIGTERM", graceMs)
}

/** The end of the last line of a daemon's log that is not empty. */
export const lastWords = async (log: string): Promise<string> => {
  const lines = (await readFile(log, "utf8").catch(() => "")).split("\n").filter((line) => line.trim() !== "")
  return (lines.at(-1) ?? "it said nothing").slice(-LOG_TOLD_CHARS)
}
