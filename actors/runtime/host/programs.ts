/** Programs of the machine, run without a shell and within a time. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { HostFault, oneLine } from "./fault.ts"

const run = promisify(execFile)

const TIMEOUT_MS = 60_000
const OUTPUT_MAX_BYTES = 1024 * 1024
/** The folders of root's programs are not in every PATH. */
const PATH = `${process.env["PATH"] ?? ""}:/usr/sbin:/usr/bin:/sbin:/bin`

/** Returns the program's output. Rejects with one line of text. `allowed`: exit statuses that are no failure. */
export async function runProgram(
  program: string,
  args: ReadonlyArray<string>,
  allowed: ReadonlyArray<number> = []
): Promise<string> {
  const env = { PATH, LC_ALL: "C" }
  try {
    const options = { env, timeout: TIMEOUT_MS, maxBuffer: OUTPUT_MAX_BYTES, killSignal: "SIGKILL" as const }
    return (await run(program, [...args], options)).stdout
  } catch (cause) {
    const { code, stderr = "" } = cause as { code?: unknown; stderr?: string }
    if (typeof code === "number" && allowed.includes(code)) return ""
    if (code === "ENOENT") throw new HostFault(`the program ${program} is missing`, { cause })
    throw new HostFault(`${program} failed (${String(code)}): ${oneLine(stderr)}`, { cause })
  }
}
