/**
 * The proof of work of registration: finds a nonce such that the hex sha256 of prefix and nonce starts with a number of
 * zeros.
 *
 * In Node, Bun and Deno the search runs in worker threads, so that the caller's own thread stays free. In other
 * runtimes it runs in slices of a few milliseconds and yields between them. A worker's result is checked here.
 */
import { clientError, type HubError } from "./errors.ts"
import { builtin } from "./runtime.ts"
import { startsWithZeros } from "./sha256.ts"

/** Sixteen times as long as the service's highest difficulty (7), which takes some minutes. */
const DIFFICULTY_MAX = 8
const WORKERS_MAX = 4
const SLICE = 2_000
const REPORT_EVERY_MS = 500
const PREFIX = /^[0-9a-f]{1,128}$/

export interface PowProgress {
  readonly hashes: number
  /** The number of tries that are needed on average. */
  readonly expected: number
  readonly seconds: number
}

export interface PowOptions {
  readonly prefix: string
  readonly difficulty: number
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: PowProgress) => void
  /** The number of threads. By default the number of processors, at most 4. */
  readonly workers?: number
}

/** Plain JavaScript, started from its text, because bundlers would not include a separate file. */
const WORKER = `
const { parentPort, workerData } = require("node:worker_threads")
const crypto = require("node:crypto")
const { prefix, zeros, start, step, slice } = workerData
const hash = crypto.hash ? (text) => crypto.hash("sha256", text) : (text) => crypto.createHash("sha256").update(text).digest("hex")
for (let nonce = start, left = slice; ; nonce += step) {
  if (hash(prefix + nonce).startsWith(zeros)) { parentPort.postMessage({ nonce: String(nonce) }); break }
  if (--left === 0) { parentPort.postMessage({ hashes: left = slice }) }
}`

/** Hashes between two reports of a worker, which take some tenths of a second. */
const WORKER_SLICE = 500_000

type PowResult = { readonly nonce: string } | { readonly hashes: number }

const holds = (prefix: string, nonce: string, difficulty: number): boolean =>
  startsWithZeros(prefix + nonce, difficulty)

const reporter = ({ difficulty, onProgress }: PowOptions): ((hashes: number) => void) => {
  const begin = performance.now()
  let hashes = 0
  let last = begin
  return (more) => {
    hashes += more
    const now = performance.now()
    if (onProgress === undefined || now - last < REPORT_EVERY_MS) return
    last = now
    onProgress({ hashes, expected: 16 ** difficulty, seconds: (now - begin) / 1000 })
  }
}

const inSlices = async (options: PowOptions): Promise<string> => {
  const report = reporter(options)
  for (let nonce = 0; ; nonce++) {
    if (holds(options.prefix, String(nonce), options.difficulty)) return String(nonce)
    if (nonce % SLICE !== SLICE - 1) continue
    report(SLICE)
    await new Promise((resolve) => setTimeout(resolve, 0))
    options.signal?.throwIfAborted()
  }
}

type Threads = typeof import("node:worker_threads")

const inWorkers = ({ Worker }: Threads, options: PowOptions, count: number): Promise<string> => {
  const report = reporter(options)
  const data = { prefix: options.prefix, zeros: "0".repeat(options.difficulty), step: count, slice: WORKER_SLICE }
  const workers = Array.from(
    { length: count },
    (_, start) => new Worker(WORKER, { eval: true, workerData: { ...data, start } })
  )
  const { signal } = options
  let stop = () => undefined as void
  return new Promise<string>((resolve, reject) => {
    stop = () => reject(signal?.reason)
    signal?.addEventListener("abort", stop, { once: true })
    for (const worker of workers) {
      worker.on("message", (told: PowResult) => ("nonce" in told ? resolve(told.nonce) : report(told.hashes)))
      worker.on("error", reject)
    }
  }).finally(async () => {
    signal?.removeEventListener("abort", stop)
    await Promise.all(workers.map((worker) => worker.terminate()))
  })
}

const problemOf = ({ prefix, difficulty }: PowOptions): HubError | null => {
  if (!PREFIX.test(prefix) || !Number.isInteger(difficulty) || difficulty < 0)
    return clientError("answer_malformed", "the challenge's proof of work makes no sense")
  return difficulty > DIFFICULTY_MAX
    ? clientError(
        "work_too_hard",
        `a proof of work of difficulty ${difficulty} is not begun: ${DIFFICULTY_MAX} is the most`
      )
    : null
}

export const proofOfWork = async (options: PowOptions): Promise<string> => {
  const problem = problemOf(options)
  if (problem !== null) throw problem
  options.signal?.throwIfAborted()
  const threads = builtin("node:crypto") === undefined ? undefined : builtin("node:worker_threads")
  if (threads === undefined) return inSlices(options)
  const processors = builtin("node:os")?.availableParallelism() ?? 1
  const nonce = await inWorkers(threads, options, Math.max(1, Math.min(WORKERS_MAX, options.workers ?? processors)))
  return holds(options.prefix, nonce, options.difficulty) ? nonce : inSlices(options)
}
