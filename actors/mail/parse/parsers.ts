/**
 * Threads that read messages: so many, each for one message at a time.
 *
 * Invariants
 *  - A message that takes its thread too long, or too much memory, takes that thread with it, and is kept unread: it is
 *    never lost, and holds up no other for longer than that.
 *  - What waits is bounded: one more is told to come again.
 */
import { Worker } from "node:worker_threads"
import { Effect, type Scope } from "effect"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import type { ParsedMail } from "./parsed.ts"
import { type ReadBounds, unread } from "./read.ts"
import type { Answered, Told } from "./worker.ts"

export interface ParserBounds extends ReadBounds {
  readonly parsers: number
  readonly parses_waiting_max: number
  readonly parse_ms: number
  readonly parser_heap_mb: number
}

export interface Parsers {
  readonly parse: (raw: Buffer) => Effect.Effect<ParsedMail, Refusal>
}

interface Job {
  readonly raw: Buffer
  readonly done: (mail: ParsedMail) => void
}

const tooMuch = unavailable("Too much mail waits to be read.")

class Thread {
  private readonly bounds: ParserBounds
  private readonly next: () => void
  private worker: Worker | null = null
  private job: (Job & { readonly id: number; readonly timer: NodeJS.Timeout }) | null = null
  private count = 0

  constructor(bounds: ParserBounds, next: () => void) {
    this.bounds = bounds
    this.next = next
  }

  get isFree(): boolean {
    return this.job === null
  }

  take(job: Job): void {
    const id = ++this.count
    const worker = (this.worker ??= this.open())
    const timer = setTimeout(() => this.giveUp("time"), this.bounds.parse_ms)
    this.job = { ...job, id, timer }
    // A copy: what is kept unread must be there still.
    const told: Told = { id, raw: new Uint8Array(job.raw) }
    worker.postMessage(told, [told.raw.buffer as ArrayBuffer])
  }

  async close(): Promise<void> {
    if (this.job !== null) clearTimeout(this.job.timer)
    const { worker } = this
    this.worker = null
    await worker?.terminate()
  }

  private open(): Worker {
    const { parser_heap_mb: maxOldGenerationSizeMb, ...rest } = this.bounds
    const workerData: ReadBounds = rest
    const worker = new Worker(new URL("./worker.ts", import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb },
      env: {},
      stdout: true,
      stderr: true
    })
    worker.unref()
    worker.on("message", ({ id, mail }: Answered) => {
      if (worker === this.worker && this.job?.id === id) this.end(mail)
    })
    // Out of memory, or a fault that nobody caught.
    worker.on("error", () => {
      if (worker === this.worker) this.giveUp("memory")
    })
    worker.on("exit", () => {
      if (worker === this.worker) this.giveUp("exit")
    })
    return worker
  }

  private giveUp(why: "time" | "memory" | "exit"): void {
    const { worker, job } = this
    this.worker = null
    void worker?.terminate()
    if (job === null) return
    logNow("warn", "mail", { unread: why, bytes: job.raw.length })
    this.end(unread(job.raw, this.bounds))
  }

  private end(mail: ParsedMail): void {
    const { job } = this
    if (job === null) return
    clearTimeout(job.timer)
    this.job = null
    job.done(mail)
    this.next()
  }
}

export const openParsers = (bounds: ParserBounds): Effect.Effect<Parsers, never, Scope.Scope> =>
  Effect.gen(function* () {
    const waiting: Array<Job> = []
    const next = (): void => {
      const free = threads.find(({ isFree }) => isFree)
      const job = free === undefined ? undefined : waiting.shift()
      if (free !== undefined && job !== undefined) free.take(job)
    }
    const threads = Array.from({ length: bounds.parsers }, () => new Thread(bounds, next))
    yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all(threads.map((thread) => thread.close()))))
    return {
      parse: (raw) =>
        Effect.suspend(() =>
          waiting.length >= bounds.parses_waiting_max
            ? Effect.fail(tooMuch)
            : Effect.callback<ParsedMail>((resume) => {
                waiting.push({ raw, done: (mail) => resume(Effect.succeed(mail)) })
                next()
              })
        )
    }
  })
