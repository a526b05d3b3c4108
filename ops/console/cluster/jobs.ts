/**
 * Long jobs that operators have started here: one at a time, in this process. The last ones are kept with operator and
 * reason.
 *
 * A job that is cut off because the console stops has changed nothing that is served.
 */
import type { Clock } from "effect"
import { iso } from "../../../schemas/iso.ts"
import { wallMs } from "../../../schemas/runtime/clock.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { Fault } from "../../cli/fault.ts"

const KEPT_MAX = 8
const SAYS_MAX_CHARS = 4000

export type JobStatus = "runs" | "done" | "failed"

export interface Job {
  readonly what: string
  readonly by: string
  readonly why: string
  /** ISO 8601. */
  readonly began: string
  readonly ended: string | null
  readonly status: JobStatus
  readonly says: string
}

interface BegunJob {
  readonly operator: { readonly name: string }
  readonly why: string
  /** The id of the form that started the job. */
  readonly once: string
}

/** The end of a job. `ok` is true if everything was found in order. */
interface JobEnd {
  readonly ok: boolean
  readonly says: string
}

type Work = (signal: AbortSignal) => Promise<JobEnd>

export class Jobs {
  private readonly clock: Clock.Clock
  private kept: ReadonlyArray<Job> = []
  private readonly forms = new Set<string>()
  private readonly stopping = new AbortController()
  private running: Promise<void> | null = null

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  /** The last jobs, newest first. */
  get last(): ReadonlyArray<Job> {
    return this.kept
  }

  /** Begins the job, unless this form has begun it already. Throws a Fault while another job is under way. */
  begin({ operator, why, once }: BegunJob, what: string, work: Work): void {
    if (this.forms.has(once)) return
    if (this.running !== null) throw new Fault("Other work is under way here. Begin this when it has ended.")
    this.remember(once)
    const job: Job = { what, by: operator.name, why, began: this.now(), ended: null, status: "runs", says: "" }
    logNow("info", "console", { job: what, operator: operator.name, why })
    this.kept = [job, ...this.kept].slice(0, KEPT_MAX)
    this.running = this.carryOut(job, work).finally(() => {
      this.running = null
    })
  }

  async close(): Promise<void> {
    this.stopping.abort()
    await this.running
  }

  private async carryOut(job: Job, work: Work): Promise<void> {
    try {
      const { ok, says } = await work(this.stopping.signal)
      this.end(job, ok ? "done" : "failed", says)
    } catch (error) {
      if (!(error instanceof Fault)) logNow("error", "console", { job: job.what, error })
      this.end(job, "failed", error instanceof Fault ? error.message : "It failed. The log of the console tells why.")
    }
  }

  private end(job: Job, status: JobStatus, says: string): void {
    const ended: Job = { ...job, ended: this.now(), status, says: says.slice(0, SAYS_MAX_CHARS) }
    this.kept = this.kept.map((one) => (one === job ? ended : one))
  }

  private remember(form: string): void {
    const [oldest] = this.forms
    if (this.forms.size >= KEPT_MAX && oldest !== undefined) this.forms.delete(oldest)
    this.forms.add(form)
  }

  private now(): string {
    return iso(wallMs(this.clock))
  }
}
