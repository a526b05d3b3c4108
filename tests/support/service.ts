/** A system with limits that tests do not reach, and the operator's view of it: its log, its leases, its tables. */
import { openService, type Service } from "../../ops/cli/connection.ts"
import type { LogEntry } from "../../actors/log/commit.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { subjects } from "../../schemas/subjects.ts"
import { Fault } from "../../ops/cli/fault.ts"
import {
  archiveOf,
  giveBack,
  lend,
  MOST_USED,
  startSystem,
  type System,
  type SystemOptions,
  waitFor
} from "../harness/index.ts"
import { BYPASS_TOKEN } from "./register.ts"

/** The service's key of a system under test, so that tests can open sealed values in the log. */
export const TEST_SERVER_KEY = Buffer.alloc(32, 7).toString("base64")

const PLENTY = 1_000_000
const LOG_PAGE = 1000

/** A 503 is correct under load. Tests about something else wait this long instead, because a machine may be slow. */
const PATIENT_MS = 60_000
/** An answer waits this long for read models, so that the next read sees the write even on a slow machine. */
export const PROJECTED_WAIT_MS = 10_000

/**
 * Limits that tests do not reach, and a long deadline for every request. Use `PRODUCT_DEADLINE` to test the deadline.
 */
export const WIDE_LIMITS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    ["ip", "key", "anon", "web", "agent", "write", "register", "captcha_key", "human_register", "human_login"].map(
      (bucket) => [`rate_limits.${bucket}.requests`, PLENTY]
    )
  ),
  "rate_limits.human_write.requests": PLENTY,
  // A load goes on for as long as its machine needs, and has a new key for each write.
  "limits.answer_bytes_per_day": 2 ** 27,
  "service.answer_owners_min": 2,
  "limits.owner.forgot_per_address.requests": PLENTY,
  "service.request_deadline_ms": PATIENT_MS,
  "service.query_timeout_ms": PATIENT_MS,
  "service.projected_wait_ms": PROJECTED_WAIT_MS,
  "scores.voter_min_age_seconds": 0,
  "scores.voter_min_trust": 0,
  "scores.votes_per_pair": 0,
  "scores.pair_window_seconds": 0,
  "service.password_memory_kib": 7168,
  "service.password_passes": 1,
  "registration.pow_difficulty.base": 1,
  "registration.pow_difficulty.max": 2
}

/** The product's deadline of a request, to be used together with the wide limits. */
export const PRODUCT_DEADLINE = {
  "service.request_deadline_ms": LIMITS.service.request_deadline_ms,
  "service.query_timeout_ms": LIMITS.service.query_timeout_ms
} as const

export interface TestService {
  readonly system: System
  readonly edges: ReadonlyArray<string>
  /** Opened when the system runs. It reads only what the operator's commands read too. */
  readonly view: Service
  readonly stop: () => Promise<void>
}

const LATER: ReadonlyArray<string | null> = ["unavailable", "overloaded"]

/** Repeats a command that the service could not carry out at the moment, as operators do. */
const patient = (view: Service): Service => ({
  ...view,
  command: (op, actor, input) =>
    waitFor(
      async () => {
        try {
          return { answer: await view.command(op, actor, input) }
        } catch (error) {
          if (error instanceof Fault && LATER.includes(error.code)) return null
          return { error }
        }
      },
      { describe: `an answer to ${op}` }
    ).then((done) => {
      if ("error" in done) throw done.error
      return done.answer
    })
})

export async function testService(options: SystemOptions = {}): Promise<TestService> {
  const system = await startSystem({
    ...options,
    limits: { ...WIDE_LIMITS, ...options.limits },
    env: { HUB_CAPTCHA_BYPASS: BYPASS_TOKEN, HUB_SERVER_KEY: TEST_SERVER_KEY, ...options.env }
  })
  const servers = { HUB_NATS_URL: system.nats.url, HUB_DATABASE_URL: system.postgres.url }
  const view = patient(await openService({ ...servers, HUB_ARCHIVE: archiveOf(system) }, system.clock))
  return {
    system,
    edges: system.edges.map((edge) => edge.url),
    view,
    stop: async () => {
      await view.close()
      await system.stop()
    }
  }
}

const SHARED: SystemOptions = {
  edges: 2,
  actors: 2,
  metrics: true,
  limits: { "rate_limits.id_verify.requests": PLENTY, "rate_limits.id_directory.requests": PLENTY }
}

export interface SharedOptions {
  /**
   * True if nodes and servers are processes that may be killed and restarted. A system with a dead one is not passed
   * on.
   */
  readonly processes?: boolean
  /** True to start a keeper. */
  readonly keeper?: boolean
  /**
   * Limits in addition to the wide ones. The nodes are restarted with them, and again without them for the next file.
   */
  readonly limits?: Readonly<Record<string, unknown>>
}

/** A system for tests that tolerate the data of others. Its worker keeps it for the next file, which saves a start. */
export async function sharedService(options: SharedOptions = {}): Promise<TestService> {
  const { processes = false, keeper = false } = options
  const limits = { ...WIDE_LIMITS, ...SHARED.limits, ...options.limits }
  const kind = processes ? "processes" : keeper ? "keeper" : MOST_USED
  const lent = await lend(kind, async () => ({
    ...(await testService({ ...SHARED, processes, keeper, limits })),
    kind
  }))
  const { system } = lent
  await system.limit(limits)
  const stop = async () => {
    const nodes = [...system.edges, ...system.actors, system.nats, system.postgres]
    if (nodes.some(({ pid }) => pid === null)) return lent.stop()
    await giveBack(lent)
    system.assertNothingRefused()
  }
  return { system, edges: lent.edges, view: lent.view, stop }
}

/** All commits of an actor. */
export async function logOf(view: Service, kind: string, id: string): Promise<ReadonlyArray<LogEntry>> {
  const entries: Array<LogEntry> = []
  for (;;) {
    const page = await view.log.read(subjects.event(kind, id), entries.at(-1)?.seq ?? 0, LOG_PAGE)
    entries.push(...page.entries)
    if (!page.more) return entries
  }
}
