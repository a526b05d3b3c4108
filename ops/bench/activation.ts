/**
 * Cold activations on a large log and on one of a hundredth of its size. It measures the time until an actor is served
 * again, and the processor time and memory that this takes in nats-server. The actors have several lengths, and their
 * commits are spread over the log. It also measures the time in which the server makes a consumer of that log.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { connect, type NatsConnection } from "@nats-io/transport-node"
import type { Kysely } from "kysely"
import { type Database, openDatabase } from "../../actors/tables/database.ts"
import { History } from "../../actors/engine/history.ts"
import { PostgresSnapshots } from "../../actors/engine/snapshots.ts"
import { JetStreamLog } from "../../actors/log/event-log.ts"
import { ensureStreams } from "../../actors/log/streams.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { streams } from "../../schemas/subjects.ts"
import { startNats } from "../launcher/nats.ts"
import { findNatsServer } from "../launcher/nats-binary.ts"
import { dataFolder } from "../launcher/paths.ts"
import { startPostgres } from "../launcher/postgres.ts"
import { migrate } from "../migrations/migrate.ts"
import { consumersMade } from "./activation/consumers.ts"
import { counting, KIND, type MadeLog, makeLog, type Spread, spread } from "./activation/log.ts"
import { cpuOf, residentBytes } from "./cpu.ts"

const SPREADS = [spread(1, 50), spread(8, 20), spread(100, 4), spread(500, 4)]
const FORMAT = 1
const SMALLER = 100
/** The server drops cached blocks of its files after 10 s. */
const COLD_MS = 12_000
/**
 * Actors with at least this many commits have some in most files. Reading one puts commits of the next one into the
 * cache.
 */
const LONG = 100
/** A log of at most this size stays in memory, so no wait makes it cold. */
const FILE_MEGABYTES = 8

type Say = (line: string) => void

/** The number of an actor's commits after its snapshot; `null` if there is no snapshot. */
type Behind = number | null

interface World {
  readonly nats: NatsConnection
  readonly db: Kysely<Database>
  readonly pid: number
  readonly made: MadeLog
  /** Milliseconds until the server has nothing of the log in its cache. */
  readonly cold: number
}

export const activationCase = async (megabytes: number, say: Say): Promise<void> => {
  for (const size of [megabytes / SMALLER, megabytes]) await onLog(size, say)
}

const onLog = async (megabytes: number, say: Say): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "hub-bench-"))
  const binary = await findNatsServer({
    env: process.env,
    dataDir: dataFolder(process.env),
    progress: say,
    signal: new AbortController().signal
  })
  const server = await startNats({ binary, dataDir: join(folder, "nats") })
  const postgres = await startPostgres({ dataDir: join(folder, "postgres") })
  const nats = await connect(busServers(server.operatorUrl, "operator") ?? { servers: [] })
  await migrate(postgres.url)
  const db = openDatabase(postgres.url)
  try {
    await ensureStreams(nats, LIMITS, 1)
    const made = await makeLog(nats, megabytes * 1e6, SPREADS)
    const pid = server.pid
    say(
      `\nactivations on a log of ${made.commits} commits, ${megabytes} MB, made in ${made.seconds.toFixed(0)} s; ` +
        `nats-server ${(residentBytes(pid) / 1e6).toFixed(0)} MB`
    )
    await consumersMade(nats, made.commits, say)
    say("  snapshot            commits      p50 ms    p99 ms   failed   CPU of nats-server, ms   its memory, MB")
    const world = { nats, db, pid, made, cold: megabytes > FILE_MEGABYTES ? COLD_MS : 0 }
    for (const behind of [0, 5, null] as const) {
      await keepSnapshots(world, behind)
      for (const one of SPREADS) if (one.length > (behind ?? 0)) await measure(world, behind, one, say)
    }
  } finally {
    await nats.close()
    await db.destroy()
    await server.stop()
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const storeOf = (db: Kysely<Database>): PostgresSnapshots => new PostgresSnapshots(machineClock, db, () => FORMAT)

const keepSnapshots = async ({ db, made }: World, behind: Behind): Promise<void> => {
  await db.deleteFrom("snapshots").execute()
  if (behind === null) return
  const snapshots = storeOf(db)
  await Promise.all(
    SPREADS.flatMap(({ length, ids }) =>
      ids.map(async (id) => {
        const state = length - behind
        const seq = made.seqs.get(id)?.[state - 1]
        if (seq !== undefined) await snapshots.save(KIND, id, { seq, state, commands: [] })
      })
    )
  )
}

const measure = async (
  { nats, db, pid, cold }: World,
  behind: Behind,
  { length, ids }: Spread,
  say: Say
): Promise<void> => {
  const log = new JetStreamLog(machineClock, nats, { batchMax: 1, queueMax: 1 })
  const parts = { log, snapshots: storeOf(db), limits: LIMITS.service }
  const took: Array<number> = []
  let failed = 0
  let cpu = 0
  let memory = 0
  for (const id of ids) {
    if (cold > 0 && (took.length === 0 || (behind === null && length >= LONG))) await delay(cold)
    const actor = new History(counting, id, parts)
    const before = cpuOf([pid])
    const began = performance.now()
    try {
      await actor.load()
      if (actor.state !== length) throw new Error(`${streams.events} makes ${String(actor.state)} of ${id}`)
    } catch {
      failed++
    }
    took.push(performance.now() - began)
    cpu += cpuOf([pid]) - before
    memory = Math.max(memory, residentBytes(pid))
  }
  const [p50 = 0, p99 = 0] = [0.5, 0.99].map((part) => took.toSorted((a, b) => a - b)[Math.floor(part * took.length)])
  say(
    `  ${(behind === null ? "none" : `${behind} behind the end`).padEnd(16)} ${String(length).padStart(10)} ` +
      `${p50.toFixed(1).padStart(11)} ${p99.toFixed(1).padStart(9)} ${String(failed).padStart(8)} ` +
      `${(cpu / ids.length / 1000).toFixed(1).padStart(24)} ${(memory / 1e6).toFixed(0).padStart(16)}`
  )
}
