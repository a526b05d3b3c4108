/**
 * A worker thread and its jobs. It computes for one job at a time. While a job waits for DNS, the thread takes others.
 *
 * Invariants
 *  - A job may use `thread_cpu_ms` of the thread's CPU time in all of its turns. A job that needs more is given up, and
 *    its thread ends. Waiting for a slow machine does not count.
 *  - The other jobs of that thread begin again. If the running job was at fault (time or memory), this is not counted
 *    as a try of the others. A job has `TRIES` tries in all.
 */
import { Worker } from "node:worker_threads"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { codeOf, type Lookup } from "../dns.ts"
import type { ReadBounds } from "./read.ts"
import type { Answer, Result, Start, FromThread, ToThread, Work } from "./protocol.ts"

export interface ThreadBounds extends ReadBounds {
  readonly thread_jobs_max: number
  readonly thread_cpu_ms: number
  readonly thread_start_ms: number
  readonly thread_heap_mb: number
}

export interface Job {
  /** The message. Its bytes are copied when the job begins. */
  readonly work: Work
  readonly client: string
  readonly network: string
  /** Makes a new lookup for each try. */
  readonly lookup: () => Lookup
  /** Reports the CPU time of a turn, in microseconds. */
  readonly spent: (us: number) => void
  /** Called if the job has to give way while it waits. */
  readonly refused: () => void
  /** `null` if the job was given up. */
  readonly done: (result: Result | null) => void
  tries: number
}

export interface Queue {
  /** Called when the thread can take a job. */
  readonly next: () => void
  readonly again: (job: Job) => void
}

interface UnderWay {
  readonly id: number
  readonly job: Job
  readonly lookup: Lookup
  /** The CPU time of the job's finished turns, in microseconds. */
  cpu: number
  looks: number
  answers: Array<Answer>
}

const TRIES = 5
/** A job is given up after this number of checks, even if it has used little CPU time. */
const LOOKS = 20
const LOOKS_PER_BOUND = 4

type Why = "start" | "time" | "memory" | "exit"

export class Thread {
  private readonly bounds: ThreadBounds
  private readonly mta: string | null
  private readonly queue: Queue
  private readonly open = new Map<number, UnderWay>()
  private worker: Worker | null = null
  private hasBegun = false
  /** The CPU time that the thread reported last. */
  private cpu = 0
  private running: UnderWay | null = null
  private timer: NodeJS.Timeout | undefined
  private count = 0

  constructor(bounds: ThreadBounds, mta: string | null, queue: Queue) {
    this.bounds = bounds
    this.mta = mta
    this.queue = queue
  }

  get isFree(): boolean {
    return this.running === null && this.open.size < this.bounds.thread_jobs_max
  }

  take(job: Job): void {
    this.worker ??= this.begin()
    job.tries++
    const under: UnderWay = { id: ++this.count, job, lookup: job.lookup(), cpu: 0, looks: 0, answers: [] }
    this.open.set(under.id, under)
    this.turnOf(under)
    const raw = new Uint8Array(job.work.raw)
    this.tell({ type: "work", id: under.id, work: { ...job.work, raw } }, [raw.buffer])
  }

  async close(): Promise<void> {
    clearTimeout(this.timer)
    const { worker } = this
    this.worker = null
    await worker?.terminate()
  }

  private tell(told: ToThread, moved: ReadonlyArray<ArrayBuffer> = []): void {
    this.worker?.postMessage(told, [...moved])
  }

  private begin(): Worker {
    const { thread_heap_mb: maxOldGenerationSizeMb, ...bounds } = this.bounds
    const workerData: Start = { bounds, mta: this.mta }
    const worker = new Worker(new URL("./worker.ts", import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb },
      env: {},
      stdout: true,
      stderr: true
    })
    worker.unref()
    this.hasBegun = false
    const ended = (why: Why) => () => {
      if (worker === this.worker) this.giveUp(why)
    }
    worker.on("message", (told: FromThread) => {
      if (worker === this.worker) this.heard(told, worker)
    })
    // Out of memory, or an uncaught fault.
    worker.on("error", ended("memory"))
    worker.on("exit", ended("exit"))
    return worker
  }

  private heard(told: FromThread, worker: Worker): void {
    if (told.type === "asks") return this.asks(told, worker)
    if (told.type === "begun") {
      this.hasBegun = true
      this.cpu = told.cpu
      if (this.running !== null) this.watch(this.running)
      return
    }
    const under = this.open.get(told.id)
    if (under === undefined) return
    this.turnEnds(under, told.cpu)
    if (told.type === "done") {
      this.open.delete(told.id)
      under.job.done(told.result)
    }
    this.go()
  }

  private asks({ id, question, name, record }: Extract<FromThread, { type: "asks" }>, worker: Worker): void {
    const under = this.open.get(id)
    const answered = (said: Answer["said"]): void => {
      if (worker !== this.worker) return
      under?.answers.push({ question, said })
      this.go()
    }
    under?.lookup(name, record).then(
      (records) => answered({ records }),
      (error: unknown) => answered({ code: codeOf(error) })
    )
  }

  /** Jobs that got answers of DNS go before jobs that have not begun. */
  private go(): void {
    if (this.running !== null) return
    const under = [...this.open.values()].find(({ answers }) => answers.length > 0)
    if (under === undefined) return this.queue.next()
    const { id, answers } = under
    under.answers = []
    this.turnOf(under)
    this.tell({ type: "answers", id, answers })
  }

  private turnOf(under: UnderWay): void {
    this.running = under
    if (this.hasBegun) this.watch(under)
    else this.within(this.bounds.thread_start_ms, () => this.giveUp("start"))
  }

  private turnEnds(under: UnderWay, cpu: number): void {
    under.cpu += cpu - this.cpu
    under.looks = 0
    under.job.spent(cpu - this.cpu)
    this.cpu = cpu
    if (this.running !== under) return
    clearTimeout(this.timer)
    this.running = null
  }

  private within(ms: number, over: () => void): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(over, ms)
  }

  private watch(under: UnderWay, used = under.cpu): void {
    const { thread_cpu_ms } = this.bounds
    const left = thread_cpu_ms - used / 1000
    this.within(Math.max(left, thread_cpu_ms / LOOKS_PER_BOUND), () => void this.look(under))
  }

  private async look(under: UnderWay): Promise<void> {
    const { worker } = this
    const { cpu, looks } = under
    const spent = worker === null ? null : await this.spentBy(worker)
    // The job may have begun another turn meanwhile.
    if (worker !== this.worker || this.running !== under || under.cpu !== cpu || under.looks !== looks) return
    under.looks++
    const used = cpu + (spent ?? Number.POSITIVE_INFINITY) - this.cpu
    if (used >= this.bounds.thread_cpu_ms * 1000 || under.looks >= LOOKS) this.giveUp("time")
    else this.watch(under, used)
  }

  /**
   * The CPU time of the worker; `null` if it is unknown. A thread that does not answer within `thread_cpu_ms` is busy.
   */
  private async spentBy(worker: Worker): Promise<number | null> {
    let timer: NodeJS.Timeout | undefined
    const over = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), this.bounds.thread_cpu_ms)
    })
    const told = worker.cpuUsage().then(
      ({ user, system }) => user + system,
      () => null
    )
    return Promise.race([told, over]).finally(() => clearTimeout(timer))
  }

  private giveUp(why: Why): void {
    const { worker, running } = this
    const others = [...this.open.values()].filter((one) => one !== running)
    clearTimeout(this.timer)
    this.worker = null
    this.running = null
    this.open.clear()
    void worker?.terminate()
    const isAtFault = running !== null && (why === "time" || why === "memory")
    if (isAtFault) running.job.spent(this.bounds.thread_cpu_ms * 1000)
    if (running !== null) this.ended(running.job, why, why === "start")
    for (const { job } of others) {
      if (isAtFault) job.tries--
      this.ended(job, why, true)
    }
    this.queue.next()
  }

  private ended(job: Job, why: Why, mayTryAgain: boolean): void {
    if (mayTryAgain && job.tries < TRIES) return this.queue.again(job)
    logNow("warn", "mail", { given_up: job.work.type, why, bytes: job.work.raw.length })
    job.done(null)
  }
}
