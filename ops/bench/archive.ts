/**
 * Measures what an archive saves and costs on one log:
 *
 *  - memory and disk of nats-server before and after archiving
 *  - cold activations from both parts, and a read of all commits
 *  - appends that begin new subjects, with and without an archive
 */
import { mkdtemp, readdir, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { jetstreamManager } from "@nats-io/jetstream"
import { connect, type NatsConnection } from "@nats-io/transport-node"
import { Effect, Stream } from "effect"
import type { Kysely } from "kysely"
import { History } from "../../actors/engine/history.ts"
import { PostgresSnapshots } from "../../actors/engine/snapshots.ts"
import { archiveOnce } from "../../actors/log/archive/archiver.ts"
import { openArchive, type OpenArchive } from "../../actors/log/archive/open.ts"
import type { Commit } from "../../actors/log/commit.ts"
import { JetStreamLog } from "../../actors/log/event-log.ts"
import { pagesOf } from "../../actors/log/stream-pages.ts"
import { ensureStreams } from "../../actors/log/streams.ts"
import { type Database, openDatabase } from "../../actors/tables/database.ts"
import { busServers } from "../../schemas/bus/servers.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { startNats } from "../launcher/nats.ts"
import { findNatsServer } from "../launcher/nats-binary.ts"
import { dataFolder } from "../launcher/paths.ts"
import { startPostgres } from "../launcher/postgres.ts"
import { migrate } from "../migrations/migrate.ts"
import { writeCommunity } from "./community.ts"
import { counting, KIND, makeLog, spread } from "./activation/log.ts"
import { residentBytes } from "./cpu.ts"

const SPREADS = [spread(1, 50), spread(8, 20), spread(100, 10)]
const FORMAT = 1
const PAGE = 4000
/**
 * `ABREAST`: appends at once. `BEGUN`: new subjects in a round. `ROUNDS`: rounds of each variant; the variants
 * alternate.
 */
const ABREAST = 256
const BEGUN = 20_000
const ROUNDS = 3

type Say = (line: string) => void

interface World {
  readonly nats: NatsConnection
  readonly db: Kysely<Database>
  readonly pid: number
  readonly opened: OpenArchive
}

const timed = async <A>(act: () => Promise<A>): Promise<{ readonly result: A; readonly seconds: number }> => {
  const began = performance.now()
  const result = await act()
  return { result, seconds: (performance.now() - began) / 1000 }
}

const logOf = (nats: NatsConnection, opened?: OpenArchive): JetStreamLog =>
  new JetStreamLog(machineClock, nats, {
    batchMax: LIMITS.service.commit_batch_max,
    queueMax: LIMITS.service.commit_queue_max,
    archive: opened?.archive
  })

const percentile = (took: ReadonlyArray<number>, part: number): string =>
  (took.toSorted((a, b) => a - b)[Math.floor(part * took.length)] ?? 0).toFixed(1)

const activations = async (
  { nats, db, opened }: World,
  side: string,
  seqs: ReadonlyMap<string, ReadonlyArray<number>>,
  say: Say
): Promise<void> => {
  const snapshots = new PostgresSnapshots(machineClock, db, () => FORMAT)
  const parts = { log: logOf(nats, opened), snapshots, limits: LIMITS.service }
  for (const kept of [false, true]) {
    await db.deleteFrom("snapshots").execute()
    if (kept)
      for (const [id, all] of seqs)
        await snapshots.save(KIND, id, {
          seq: all.at(-1) ?? 0,
          state: all.length,
          commands: [{ id: commandOf(all), at: 0 }]
        })
    for (const { length, ids } of SPREADS) {
      const took: Array<number> = []
      for (const id of ids) {
        const actor = new History(counting, id, parts)
        took.push((await timed(() => actor.load())).seconds * 1000)
        if (actor.state !== length) throw new Error(`${streams.events} makes ${String(actor.state)} of ${id}`)
      }
      say(
        `  ${side.padEnd(8)} ${(kept ? "a snapshot" : "none").padEnd(10)} ${String(length).padStart(8)} ` +
          `${percentile(took, 0.5).padStart(9)} ${percentile(took, 0.99).padStart(9)}`
      )
    }
  }
}

/** The id of an actor's last command, as makeLog gives it. */
const commandOf = (all: ReadonlyArray<number>): string => `c${all.at(-1) ?? 0}`

const read = async ({ nats, opened }: World): Promise<number> => {
  let commits = 0
  const pages = pagesOf(nats, streams.events, 0, PAGE, ">", opened.archive)
  await Effect.runPromise(Stream.runForEach(pages, (page) => Effect.sync(() => void (commits += page.length))))
  return commits
}

let names = 0
/**
 * Appends groups of two commits: one on an actor's own subject, and one that begins another subject. `drawn` actors
 * have numbers as ids, such as replies; others have names.
 */
const begun = async (log: JetStreamLog, drawn: boolean): Promise<number> => {
  const commit: Commit = { v: 1, id: "begun", op: "bench.begin", at: 0, events: [{ type: "bench.written", v: 1 }] }
  let left = BEGUN
  const writer = async (): Promise<void> => {
    const own = subjects.event("bench_own", `o${++names}`)
    for (let expected = 0; left-- > 0;) {
      const fresh = { subject: subjects.event("bench_begun", `b${++names}`), expected: 0, commit }
      const result = await log.append([
        { subject: own, expected, commit },
        { ...fresh, ...(drawn ? { drawn: true } : {}) }
      ])
      if (!result.ok) throw new Error(result.reason)
      expected = result.seqs[0] ?? 0
    }
  }
  const { seconds } = await timed(() => Promise.all(Array.from({ length: ABREAST }, writer)))
  return BEGUN / seconds
}

const sizeOf = async (folder: string): Promise<number> => {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((one) => one.isFile())
  const sizes = await Promise.all(files.map((one) => stat(join(one.parentPath, one.name)).then(({ size }) => size)))
  return sizes.reduce((sum, size) => sum + size, 0)
}

const mb = (bytes: number): string => (bytes / 1e6).toFixed(0)

interface Places {
  readonly folder: string
  /** Starts a server that reads its files anew, so that its memory holds only what the log needs. */
  readonly served: <A>(act: (world: World) => Promise<A>) => Promise<A>
}

/** Runs `act` with empty servers and an empty archive. */
const within = async (say: Say, act: (places: Places) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), "hub-bench-"))
  const signal = new AbortController().signal
  const binary = await findNatsServer({ env: process.env, dataDir: dataFolder(process.env), progress: say, signal })
  const postgres = await startPostgres({ dataDir: join(folder, "postgres") })
  await migrate(postgres.url)
  const db = openDatabase(postgres.url)
  const served: Places["served"] = async (use) => {
    const server = await startNats({ binary, dataDir: join(folder, "nats") })
    const nats = await connect(busServers(server.operatorUrl, "operator") ?? { servers: [] })
    try {
      await ensureStreams(nats, LIMITS, 1)
      const place = { type: "folder", folder: join(folder, "archive") } as const
      const opened = await openArchive(place, { clock: machineClock, nats, db })
      if (opened === null) throw new Error("a folder is an archive")
      return await use({ nats, db, pid: server.pid, opened })
    } finally {
      await nats.close()
      await server.stop()
    }
  }
  try {
    await act({ folder, served })
  } finally {
    await db.destroy()
    await postgres.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const held = async ({ folder }: Places, side: string, { pid }: World, say: Say): Promise<void> => {
  const [store, archive] = await Promise.all([
    sizeOf(join(folder, "nats")),
    sizeOf(join(folder, "archive")).catch(() => 0)
  ])
  say(
    `${side}: nats-server ${mb(residentBytes(pid))} MB of memory, ${mb(store)} MB of disk; ` +
      `the archive ${mb(archive)} MB of disk`
  )
}

const archiveAll = async ({ nats, opened }: World, say: Say): Promise<void> => {
  const manager = await jetstreamManager(nats)
  const commits = (await manager.streams.info(streams.events)).state.last_seq
  const policy = { hotSeconds: 0, partialSeconds: 0 }
  const parts = {
    nats,
    manager,
    log: logOf(nats, opened),
    ...opened,
    policy,
    kinds: [],
    indexed: async () => undefined,
    done: async () => commits
  }
  const { result, seconds } = await timed(async () => {
    let segments = 0
    for (let through = 0; through < commits;) {
      const run = await Effect.runPromise(archiveOnce(parts))
      segments += run?.segments ?? 0
      through = run?.through ?? through
    }
    return segments
  })
  say(`archived: ${result} segments in ${seconds.toFixed(1)} s, ${Math.round(commits / seconds)} commits a second`)
}

const ofSpreads = (megabytes: number, say: Say): Promise<void> =>
  within(say, async (places) => {
    const { served } = places
    const made = await served(({ nats }) => makeLog(nats, megabytes * 1e6, SPREADS))
    say(`\na log of ${made.commits} commits, ${megabytes} MB`)
    const measured = async (side: string, world: World): Promise<void> => {
      await held(places, side, world, say)
      say("           snapshot    commits    p50 ms    p99 ms")
      await activations(world, side, made.seqs, say)
      const { result, seconds } = await timed(() => read(world))
      say(`  all read: ${result} commits, ${Math.round(result / seconds)} a second`)
    }
    await served((world) => measured("hot", world))
    await served((world) => archiveAll(world, say))
    await served((world) => measured("archived", world))
    await served(async ({ nats, opened }) => {
      const [without, asked] = [logOf(nats), logOf(nats, opened)]
      for (const drawn of [false, true]) {
        const ratios: Array<number> = []
        for (let round = 0; round < ROUNDS; round++) {
          const plain = await begun(without, drawn)
          ratios.push((await begun(asked, drawn)) / plain)
        }
        say(
          `new subjects by ${drawn ? "number" : "name"}: ${percentile(ratios, 0.5)} of the appends without an archive ` +
            `(${ratios.map((one) => one.toFixed(2)).join(", ")})`
        )
      }
    })
  })

const ofCommunity = (say: Say): Promise<void> =>
  within(say, async (places) => {
    const { served } = places
    await served(({ nats }) => writeCommunity(logOf(nats)))
    await served(async ({ nats }) => {
      const { state } = await (await jetstreamManager(nats)).streams.info(streams.events)
      say(`\nthe log of a community, ${state.last_seq} commits of ${state.num_subjects} actors`)
    })
    await served((world) => held(places, "hot", world, say))
    await served((world) => archiveAll(world, say))
    await served((world) => held(places, "archived", world, say))
  })

export const archiveCase = async (megabytes: number, say: Say): Promise<void> => {
  await ofSpreads(megabytes, say)
  await ofCommunity(say)
}
