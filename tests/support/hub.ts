/** The operator's command as an operator runs it: a process of its own. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { projectRoot } from "../../ops/launcher/paths.ts"
import type { System } from "../harness/index.ts"

/** For what hangs. */
const TIMEOUT_MS = 180_000

const OUTPUT_MAX_BYTES = 64 * 1024 * 1024

const execute = promisify(execFile)

/** What it wrote to standard output; rejects with its standard error when it fails. */
export async function hub(system: System, args: ReadonlyArray<string>): Promise<string> {
  const { stdout } = await execute(process.execPath, ["--no-warnings", "ops/cli/main.ts", ...args], {
    cwd: projectRoot,
    env: { ...process.env, HUB_NATS_URL: system.nats.url, HUB_DATABASE_URL: system.postgres.url },
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
    maxBuffer: OUTPUT_MAX_BYTES
  })
  return stdout
}
