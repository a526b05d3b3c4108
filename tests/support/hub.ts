/** Runs the operator's commands, as a process or within the test. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { readLine } from "../../ops/cli/command-line.ts"
import { Finding } from "../../ops/cli/command.ts"
import { openService } from "../../ops/cli/connection.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { archiveOf, programPath, type System } from "../harness/index.ts"

/** Only a command that hangs takes this long. */
const TIMEOUT_MS = 180_000

const OUTPUT_MAX_BYTES = 64 * 1024 * 1024

const execute = promisify(execFile)

const serversOf = (system: System) => ({
  HUB_NATS_URL: system.nats.url,
  HUB_DATABASE_URL: system.postgres.url,
  HUB_ARCHIVE: archiveOf(system)
})

const run = async (system: System, args: ReadonlyArray<string>) =>
  execute(process.execPath, ["--no-warnings", await programPath("hub"), ...args], {
    cwd: projectRoot,
    env: { ...process.env, ...serversOf(system) },
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
    maxBuffer: OUTPUT_MAX_BYTES
  })

/** Runs a command as a process. Returns its standard output. Rejects with its standard error if it fails. */
export const hub = async (system: System, args: ReadonlyArray<string>): Promise<string> =>
  (await run(system, args)).stdout

/** Runs a command as a process. Returns both outputs and the exit status. */
export async function hubEnded(
  system: System,
  args: ReadonlyArray<string>
): Promise<{ readonly stdout: string; readonly stderr: string; readonly status: number }> {
  try {
    return { ...(await run(system, args)), status: 0 }
  } catch (error) {
    const { stdout, stderr = "", code } = error as { stdout?: string; stderr?: string; code?: unknown }
    if (stdout === undefined || typeof code !== "number") throw error
    return { stdout, stderr, status: code }
  }
}

/** Runs a command in this process, which is faster. Returns its output. Rejects if the command is refused. */
export async function operate(system: System, args: ReadonlyArray<string>): Promise<string> {
  const line = readLine(args)
  if ("help" in line) throw new Error(`no command: ${args.join(" ")}`)
  const service = await openService(serversOf(system), system.clock)
  try {
    const told = await line.command.run?.(service, line.args)
    const shown = told instanceof Finding ? told.text : told
    return typeof shown === "string" ? shown : JSON.stringify(shown, null, 2)
  } finally {
    await service.close()
  }
}
