/** The operator's commands: as an operator runs them, and where they are a means to something else. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { readLine } from "../../ops/cli/command-line.ts"
import { Finding } from "../../ops/cli/command.ts"
import { openService } from "../../ops/cli/connection.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { archiveOf, programPath, type System } from "../harness/index.ts"

/** For what hangs. */
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

/** A process of its own. What it wrote to standard output; rejects with its standard error when it fails. */
export const hub = async (system: System, args: ReadonlyArray<string>): Promise<string> =>
  (await run(system, args)).stdout

/** A process of its own, with both outputs and its exit status, whatever that is. */
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

/** In this process, which spares the start of one. What it would write; rejects with its refusal. */
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
