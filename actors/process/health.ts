/**
 * The health checks of the actors' side (contract 7), such as those of the bus, the disk, Postgres and the read models.
 *
 * Invariants
 *  - No result is invented. A check is left out if this deployment does not have the part, or if it needs the result of
 *    a check that failed. A check that cannot be made here says so in its message.
 *  - All checks end within CHECK_WITHIN_MS plus LOOK_WITHIN_MS, which is less than an edge waits
 *    (health_check_timeout_ms). A part that has not answered by then fails or gets a warning. The others are still
 *    reported.
 */
import type { JetStreamAccountStats, JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { type Clock, Effect } from "effect"
import { type Kysely, sql } from "kysely"
import type { LeaseView } from "../../schemas/runtime/bus/lease-view.ts"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { HubConfig } from "../../schemas/config.ts"
import { unexplained, worstClock } from "../../schemas/meta/clock.ts"
import { after, wallMs, type Cancel } from "../../schemas/runtime/clock.ts"
import { consumers, streams, subjects } from "../../schemas/subjects.ts"
import type { Database } from "../tables/database.ts"
import { freeStorage } from "../log/storage.ts"
import { type Lateness, latenessOf } from "./archiving.ts"
import { PROJECTIONS } from "./projections.ts"
import { PREDECESSOR } from "../projections/succession.ts"
import { type ReactionsSeen, reactionsSeen } from "./reactions-health.ts"
import { firstBehind } from "../projections/lag.ts"
import { type Replicas, replicasIn } from "../queries/replicas.ts"
import {
  ageOf,
  type Check,
  type Checks,
  type MakeCheck,
  mailChecks,
  queueOf,
  type Timed,
  webhookChecks
} from "../queries/queue-health.ts"

const CHECK_WITHIN_MS = 500
/** Time for checks that need the results of others. */
const LOOK_WITHIN_MS = 250
/** Seconds that read models and reactions may be behind before health warns. */
const LAG_WARN_SECONDS = 5
/** Warns when free space is below this multiple of the floor at which writes are refused. */
const DISK_WARN_TIMES = 4
const STORE_WARN_PERCENT = 80
const STORE_FAIL_PERCENT = 95

export interface HealthParts {
  readonly clock: Clock.Clock
  readonly nats: NatsConnection
  readonly db: Kysely<Database>
  readonly manager: JetStreamManager
  readonly view: Pick<LeaseView, "sessions">
  readonly config: Pick<HubConfig, "natsUrl" | "natsMonitors" | "data" | "limits" | "mail" | "archive">
}

interface Marks {
  readonly watermarks: ReadonlyMap<string, number>
  readonly faults: number
  /** Unix ms. */
  readonly now: number
}

/** `null` if it fails or does not answer in time. */
const timed = async <T extends object>(
  clock: Clock.Clock,
  asked: Promise<T>,
  withinMs = CHECK_WITHIN_MS
): Promise<Timed<T> | null> => {
  const began = wallMs(clock)
  let cancel: Cancel | undefined
  const late = new Promise<null>((resolve) => {
    cancel = after(clock, withinMs, () => resolve(null))
  })
  const value = await Promise.race([asked.catch(() => null), late])
  cancel?.()
  const ended = wallMs(clock)
  return value === null ? null : { value, at: (began + ended) / 2, give: (ended - began) / 2 }
}

const marksOf = async (db: Kysely<Database>): Promise<Marks> => {
  const { rows } = await sql<{ seqs: Readonly<Record<string, number>> | null; faults: string; now: string }>`
    select (select json_object_agg(name, seq) from projections) as seqs, (select count(*) from projection_faults) as faults,
      extract(epoch from clock_timestamp()) * 1000 as now`.execute(db)
  return {
    watermarks: new Map(Object.entries(rows[0]?.seqs ?? {})),
    faults: Number(rows[0]?.faults ?? 0),
    now: Number(rows[0]?.now ?? 0)
  }
}

/** `floor`: the number of free bytes below which writes are refused (log/storage.ts). */
const diskCheck = (disk: Timed<{ readonly free: number | null }> | null, floor: number, check: MakeCheck): Check => {
  const free = disk?.value.free ?? null
  if (disk === null) return check("warn", null, "bytes free", "the disk does not answer")
  if (free === null)
    return check(
      "pass",
      null,
      "bytes free",
      "the log lies on another machine, whose disk cannot be seen from here: name its monitoring, or watch it there"
    )
  if (free < floor)
    return check("fail", free, "bytes free", "too little room is left for the log: writes are refused, reads go on")
  return free < floor * DISK_WARN_TIMES
    ? check("warn", free, "bytes free", "little room is left for the log")
    : check("pass", free, "bytes free", null)
}

const replicasCheck = ({ wanted, current, offline, lagging }: Replicas, check: MakeCheck): Check => {
  const missing = [...offline, ...lagging]
  if (current >= wanted) return check("pass", current, "replicas", null)
  const where = missing.length === 0 ? "" : ` at ${missing.join(", ")}`
  return check(
    "warn",
    current,
    "replicas",
    `${wanted - current} of ${wanted} replicas of the log are not current${where}`
  )
}

const storeCheck = (account: Timed<JetStreamAccountStats> | null, check: MakeCheck): Check => {
  if (account === null) return check("fail", null, "bytes used", "the bus does not tell what it stores")
  const { storage, limits } = account.value
  const percent = limits.max_storage > 0 ? (100 * storage) / limits.max_storage : 0
  const status = percent >= STORE_FAIL_PERCENT ? "fail" : percent >= STORE_WARN_PERCENT ? "warn" : "pass"
  return check(
    status,
    storage,
    "bytes used",
    limits.max_storage > 0 ? `${Math.round(percent)} percent of what the account may store` : null
  )
}

/** The highest watermark of the projections of the log. */
const newestOf = ({ watermarks }: Marks): number =>
  Math.max(
    ...PROJECTIONS.filter(({ stream }) => stream === streams.events).map(({ name }) => watermarks.get(name) ?? 0)
  )

const lagsOf = (clock: Clock.Clock, manager: JetStreamManager, { watermarks }: Marks) =>
  Promise.all(
    PROJECTIONS.map(async (projection) => {
      // Until this release has taken over the tables, they are at the watermark of the previous release.
      const seq = watermarks.get(projection.name) ?? watermarks.get(PREDECESSOR) ?? 0
      return { name: projection.name, seconds: ageOf(await firstBehind(manager, projection, seq), wallMs(clock)) }
    })
  )

const readModelChecks = async (
  clock: Clock.Clock,
  manager: JetStreamManager,
  marks: Marks,
  check: MakeCheck
): Promise<Checks> => {
  const lags = await timed(clock, lagsOf(clock, manager, marks), LOOK_WITHIN_MS)
  const lag = lags === null ? null : Math.max(...lags.value.map(({ seconds }) => seconds))
  const still = (lags?.value ?? []).filter(({ seconds }) => seconds > LAG_WARN_SECONDS).map(({ name }) => name)
  return {
    read_models: check(
      still.length > 0 || lag === null ? "warn" : "pass",
      lag,
      "seconds behind",
      still.length > 0
        ? `the read models stand still: ${still.join(", ")}`
        : lag === null
          ? "the log does not tell"
          : null
    ),
    projection_faults: check(
      marks.faults > 0 ? "warn" : "pass",
      marks.faults,
      "commits passed over",
      marks.faults > 0 ? "see the table projection_faults" : null
    )
  }
}

/** The checks of reactions. `null`: the bus did not answer in time. */
const reactionChecks = (seen: Timed<ReactionsSeen> | null, now: number, check: MakeCheck): Checks => {
  if (seen === null)
    return { reactions: check("warn", null, "seconds behind", "how far the reactions are cannot be seen") }
  const { waiting, parked, faults } = seen.value
  const late = [...waiting].filter(([, since]) => ageOf(since, now) > LAG_WARN_SECONDS).map(([name]) => name)
  return {
    reactions: check(
      late.length > 0 ? "warn" : "pass",
      Math.max(0, ...[...waiting.values()].map((since) => ageOf(since, now))),
      "seconds behind",
      late.length > 0 ? `reactions stand still: ${late.join(", ")}` : null
    ),
    reactions_parked: check(
      parked > 0 ? "warn" : "pass",
      parked,
      "commands",
      parked > 0 ? "their actors cannot be had; hub reactions list names them" : null
    ),
    reaction_faults: check(
      faults > 0 ? "warn" : "pass",
      faults,
      "commits passed over",
      faults > 0 ? "hub reactions list names them" : null
    )
  }
}

const archiveCheck = (late: Timed<Lateness> | null, check: MakeCheck): Check => {
  if (late === null) return check("warn", null, "seconds late", "how far the log is archived cannot be seen")
  const { seconds, cause } = late.value
  return check(
    cause === null ? "pass" : "warn",
    Math.round(seconds),
    "seconds late",
    cause === null ? null : `the log is not archived: ${cause}`
  )
}

/** Anybody may ask for health, so requests that arrive together share one check. */
export const healthQuery = (parts: HealthParts): (() => Promise<Queries["health"]["output"]>) => {
  let looking: Promise<Queries["health"]["output"]> | null = null
  return () =>
    (looking ??= look(parts).finally(() => {
      looking = null
    }))
}

const look = async (parts: HealthParts): Promise<Queries["health"]["output"]> => {
  const { clock, nats, db, manager, view, config } = parts
  const limits = config.limits.service
  const time = new Date(wallMs(clock)).toISOString()
  const check: MakeCheck = (status, observed, unit, message) => ({ status, observed, unit, time, message })
  const stream = timed(clock, manager.streams.info(streams.events))
  const [head, marks, disk, account, queue, outbound, reactions, late] = await Promise.all([
    stream,
    timed(clock, marksOf(db)),
    timed(clock, Effect.runPromise(Effect.map(freeStorage(parts), (free) => ({ free })))),
    timed(clock, manager.getAccountInfo()),
    timed(clock, queueOf(manager, consumers.webhooks, subjects.deliveries)),
    parts.config.mail === null ? null : timed(clock, queueOf(manager, consumers.outbound, subjects.sendings)),
    timed(clock, reactionsSeen(nats, manager)),
    config.archive === null ? null : timed(clock, latenessOf({ nats, manager, db, view, limits }, wallMs(clock)))
  ])
  const now = wallMs(clock)
  const last = head?.value.state.last_seq ?? null
  const clocks = [
    ...(marks === null ? [] : [{ name: "Postgres", ms: unexplained(marks.value.now - marks.at, marks.give) }]),
    ...(head?.value.ts === undefined
      ? []
      : [{ name: "JetStream", ms: unexplained(Date.parse(head.value.ts) - head.at, head.give) }])
  ]
  const checks: Checks = {
    jetstream:
      last === null
        ? check("fail", null, "sequence", "the log does not answer")
        : check("pass", last, "sequence", null),
    ...(head === null ? {} : { replicas: replicasCheck(replicasIn(head.value), check) }),
    db:
      marks === null
        ? check("fail", null, "sequence", "Postgres does not answer")
        : check("pass", newestOf(marks.value), "sequence", null),
    disk: diskCheck(disk, parts.config.limits.service.storage_free_min_bytes, check),
    jetstream_storage: storeCheck(account, check),
    clock: worstClock(clocks, time),
    ...webhookChecks(queue, now, check),
    ...(parts.config.mail === null ? {} : mailChecks(outbound, now, check)),
    ...reactionChecks(reactions, now, check),
    ...(config.archive === null ? {} : { archive: archiveCheck(late, check) }),
    ...(last === null || marks === null ? {} : await readModelChecks(clock, manager, marks.value, check))
  }
  const failed = Object.values(checks).some((one) => one.status !== "pass")
  return { status: last === null ? "down" : failed ? "degraded" : "ok", checks, clocks, now: wallMs(clock) }
}
