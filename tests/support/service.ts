/** A system whose limits do not get in a test's way, and the engineer's view of it: its log, its leases, its tables. */
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

/** The service's key of a system under test, so that tests can open what the log holds sealed. */
export const TEST_SERVER_KEY = Buffer.alloc(32, 7).toString("base64")

const PLENTY = 1_000_000
const LOG_PAGE = 1000

/**
 * An honest 503 is for clients that can wait; a test that is about something else has the patience of a slow machine.
 */
const PATIENT_MS = 60_000
/** An answer waits so long for read models: whoever reads next sees the write, however slow the machine is. */
export const PROJECTED_WAIT_MS = 10_000

/**
 * Wide limits, and a patient deadline for every request: see `PRODUCT_DEADLINE` for tests of what the deadline does.
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

/** Over the wide limits: the deadline of a request that the product has. */
export const PRODUCT_DEADLINE = {
  "service.request_deadline_ms": LIMITS.service.request_deadline_ms,
  "service.query_timeout_ms": LIMITS.service.query_timeout_ms
} as const

export interface TestService {
  readonly system: System
  readonly edges: ReadonlyArray<string>
  /** Opened once the system runs; reads only what the operator's commands read too. */
  readonly view: Service
  readonly stop: () => Promise<void>
}

const LATER: ReadonlyArray<string | null> = ["unavailable", "overloaded"]

/** An operator tries again what the service could not do at the moment, and so do tests. */
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
   * Nodes and servers are processes of its own, which may be killed and restarted. With one dead it is not handed on.
   */
  readonly processes?: boolean
  /** With a node that keeps the keys of vaults. */
  readonly keeper?: boolean
  /** Over the wide limits. Its nodes are restarted with them, and again for whoever comes next. */
  readonly limits?: Readonly<Record<string, unknown>>
}

/** For tests that can live with what others left in it: its worker keeps it for the next file, which saves a start. */
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

/** Everything that stands on an actor's subject. */
export async function logOf(view: Service, kind: string, id: string): Promise<ReadonlyArray<LogEntry>> {
  const entries: Array<LogEntry> = []
  for (;;) {
    const page = await view.log.read(subjects.event(kind, id), entries.at(-1)?.seq ?? 0, LOG_PAGE)
    entries.push(...page.entries)
    if (!page.more) return entries
  }
}
