/** The operator's commands as processes, with the test's own servers and service key. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { programPath } from "../harness/index.ts"

interface Ended {
  readonly status: number | null
  readonly output: string
  readonly errors: string
}

export interface Operating {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
}

export interface Desk {
  readonly natsUrl: string
  readonly databaseUrl: string
  /** base64 */
  readonly serverKey: string
  /** The folder of the archive. Absent if nothing is archived. */
  readonly archive?: string
}

export async function operate(
  { natsUrl, databaseUrl, serverKey, archive }: Desk,
  args: ReadonlyArray<string>
): Promise<Operating> {
  const child = spawn(process.execPath, ["--no-warnings", await programPath("hub"), ...args], {
    cwd: projectRoot,
    env: {
      ...process.env,
      HUB_NATS_URL: natsUrl,
      HUB_DATABASE_URL: databaseUrl,
      HUB_SERVER_KEY: serverKey,
      ...(archive === undefined ? {} : { HUB_ARCHIVE: archive })
    }
  })
  let [output, errors] = ["", ""]
  child.stdout.on("data", (chunk) => (output += String(chunk)))
  child.stderr.on("data", (chunk) => (errors += String(chunk)))
  const ended = once(child, "close").then(([status]) => ({ status: status as number | null, output, errors }))
  return { child, ended }
}

/** Returns the output. Throws if the command fails. */
export async function operated(desk: Desk, args: ReadonlyArray<string>): Promise<string> {
  const { status, output, errors } = await (await operate(desk, args)).ended
  if (status !== 0) throw new Error(`hub ${args.join(" ")} ended with ${status}: ${errors}${output}`)
  return output
}

/** Returns the one line with which the command refused. */
export async function refusal(desk: Desk, args: ReadonlyArray<string>): Promise<string> {
  const { status, output, errors } = await (await operate(desk, args)).ended
  const lines = errors.trimEnd().split("\n")
  if (status !== 1 || output !== "" || lines.length !== 1)
    throw new Error(`hub ${args.join(" ")} was not refused in one line: ${status} ${errors}${output}`)
  return lines[0] ?? ""
}
