/**
 * Threads that read messages: so many, each for one message at a time.
 *
 * Invariants
 *  - A message that takes its thread too long, or too much memory, takes that thread with it. After a second try that
 *    took too long as well it is kept unread: it is never lost, and holds up no other for longer than that.
 *  - The time that a thread takes to begin is not the message's.
 *  - What waits is bounded: one more is told to come again.
 */
import { Worker } from "node:worker_threads"
import { Effect, type Scope } from "effect"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import type { ParsedMail } from "./parsed.ts"
import { type ReadBounds, unread } from "./read.ts"
import { type Answered, BEGUN, type Told } from "./told.ts"

export interface ParserBounds extends ReadBounds {
  readonly parsers: number
  readonly parses_waiting_max: number
  readonly parse_ms: number
  readonly parser_start_ms: number
  readonly parser_heap_mb: number
}

export interface Parsers {
  readonly parse: (raw: Buffer) => Effect.Effect<ParsedMail, Refusal>
}

interface Job {
  readonly raw: Buffer
  readonly done: (mail: ParsedMail) => void
}

interface UnderWay extends Job {
  readonly id: number
  readonly tries: number
}

const TRIES = 2

const tooMuch = unavailable("Too much mail waits to be read.")

class Thread {
  private readonly bounds: ParserBounds
  private readonly next: () => void
  private worker: Worker | null = null
  private hasBegun = false
  private job: UnderWay | null = null
  private timer: NodeJS.Timeout | undefined
  private count = 0

  constructor(bounds: ParserBounds, next: () => void) {
    this.bounds = bounds
    this.next = next
  }

  get isFree(): boolean {
    return this.job === null
  }

  take(job: Job, tries = 1): void {
    const id = ++this.count
    const worker = (this.worker ??= this.open())
    this.job = { ...job, id, tries }
    this.within(this.hasBegun ? this.bounds.parse_ms : this.bounds.parser_start_ms)
    // A copy: what is kept unread must be there still.
    const told: Told = { id, raw: new Uint8Array(job.raw) }
    worker.postMessage(told, [told.raw.buffer as ArrayBuffer])
  }

  async close(): Promise<void> {
    clearTimeout(this.timer)
    const { worker } = this
    this.worker = null
    await worker?.terminate()
  }

  private within(ms: number): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.giveUp("time"), ms)
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
    this.hasBegun = false
    worker.on("message", (answer: Answered | typeof BEGUN) => {
      if (worker !== this.worker) return
      if (answer === BEGUN) this.begun()
      else if (this.job?.id === answer.id) this.end(answer.mail)
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

  private begun(): void {
    this.hasBegun = true
    if (this.job !== null) this.within(this.bounds.parse_ms)
  }

  private giveUp(why: "time" | "memory" | "exit"): void {
    const { worker, job } = this
    this.worker = null
    void worker?.terminate()
    if (job === null) return
    // The machine may have been the one that was slow.
    if (why === "time" && job.tries < TRIES) return this.take(job, job.tries + 1)
    logNow("warn", "mail", { unread: why, bytes: job.raw.length })
    this.end(unread(job.raw, this.bounds))
  }

  private end(mail: ParsedMail): void {
    const { job } = this
    if (job === null) return
    clearTimeout(this.timer)
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
