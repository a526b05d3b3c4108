/**
 * The system's programs that set up the network of compartments. Each runs without a shell, with limits of time and
 * output, and reports a failure in one line.
 */
import { spawn } from "node:child_process"
import { access, constants } from "node:fs/promises"
import { delimiter, join } from "node:path"

/** Programs and Debian's packages that have them. */
const PROGRAMS: ReadonlyArray<readonly [program: string, from: string]> = [
  ["nft", "nftables"],
  ["ip", "iproute2"],
  ["tc", "iproute2"],
  ["dnsmasq", "dnsmasq-base"]
]

/** The folders of root's programs, which are not in every PATH. */
const SYSTEM_FOLDERS = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"]
const PATH = [process.env["PATH"] ?? "", ...SYSTEM_FOLDERS].filter((part) => part !== "").join(delimiter)
const CALL_TIMEOUT_MS = 15_000
const OUTPUT_MAX_BYTES = 8 * 1024 * 1024
const COMPLAINT_MAX_CHARS = 400

export interface EndedProgram {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export class NetworkFault extends Error {
  override readonly name = "NetworkFault"
}

export async function hasProgram(program: string): Promise<boolean> {
  for (const folder of PATH.split(delimiter)) {
    const found = await access(join(folder, program), constants.X_OK).then(
      () => true,
      () => false
    )
    if (found) return true
  }
  return false
}

export async function requirePrograms(): Promise<void> {
  if (process.getuid?.() !== 0) throw new NetworkFault("the network of compartments can be made by root alone")
  for (const [program, from] of PROGRAMS) {
    if (await hasProgram(program)) continue
    throw new NetworkFault(`${program} is missing (Debian's package ${from}): apt-get install ${from}`)
  }
}

const errorLine = (program: string, args: ReadonlyArray<string>, text: string): string =>
  `${[program, ...args].join(" ").slice(0, COMPLAINT_MAX_CHARS)}: ${text.trim().replace(/\s+/g, " ").slice(0, COMPLAINT_MAX_CHARS)}`

/**
 * Runs a program to its end, whatever its exit status. Rejects if it cannot be started, takes too long or writes too
 * much.
 */
export function runAny(program: string, args: ReadonlyArray<string>, input = ""): Promise<EndedProgram> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: { PATH, LC_ALL: "C" }, timeout: CALL_TIMEOUT_MS, killSignal: "SIGKILL" })
    const out: Array<Buffer> = []
    const err: Array<Buffer> = []
    let bytes = 0
    const keep = (into: Array<Buffer>) => (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > OUTPUT_MAX_BYTES) child.kill("SIGKILL")
      else into.push(chunk)
    }
    child.stdout.on("data", keep(out))
    child.stderr.on("data", keep(err))
    child.on("error", (cause) => reject(new NetworkFault(errorLine(program, args, cause.message))))
    child.on("close", (code, signal) => {
      const stderr = Buffer.concat(err).toString("utf8")
      if (signal === null) resolve({ code, stdout: Buffer.concat(out).toString("utf8"), stderr })
      else reject(new NetworkFault(errorLine(program, args, `ended by ${signal} (${CALL_TIMEOUT_MS} ms at most)`)))
    })
    // The program may have ended before it has read everything. Its exit status shows that.
    child.stdin.on("error", () => {})
    child.stdin.end(input)
  })
}

/** Runs a program to its end and returns its output. Rejects if its exit status is not 0. */
export async function run(program: string, args: ReadonlyArray<string>, input = ""): Promise<string> {
  const ended = await runAny(program, args, input)
  if (ended.code === 0) return ended.stdout
  throw new NetworkFault(errorLine(program, args, ended.stderr === "" ? `status ${ended.code}` : ended.stderr))
}

export async function runJson(program: string, args: ReadonlyArray<string>): Promise<unknown> {
  const text = await run(program, args)
  return text.trim() === "" ? [] : JSON.parse(text)
}
