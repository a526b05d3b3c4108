/** Readers that nobody waits for, whose log is archived and dropped before they come to it. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Deferred, Effect, Fiber } from "effect"
import type { Kysely } from "kysely"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Archive } from "../../../actors/log/archive/archive.ts"
import { archiveOnce } from "../../../actors/log/archive/archiver.ts"
import { LogReading } from "../../../actors/log/log-reading.ts"
import { Feed } from "../../../actors/projections/feed.ts"
import { type Database, openDatabase } from "../../../actors/tables/database.ts"
import { readLog } from "../../../ops/at/read-log.ts"
import { placeOf } from "../../../ops/replay/place.ts"
import { NO_TRACING } from "../../../schemas/runtime/trace/tracing.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { waitFor } from "../../harness/index.ts"
import { type EngineBus, startBus } from "../engine/bus.ts"
import { commitOf, processOn, seqOf, withOther } from "./processes.ts"

const COMMITS = 3000

let bus: EngineBus
let db: Kysely<Database>
let folder: string
let names = 0

beforeAll(async () => {
  bus = await startBus()
  db = openDatabase(bus.servers.postgres.url)
  folder = await mkdtemp(join(tmpdir(), "archive-"))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await db.destroy()
  await bus.stop()
})

const process = () => processOn({ nats: bus.nats, manager: bus.manager, db, folder })
const ended = async () => (await bus.manager.streams.info(streams.events)).state.last_seq

/** Commits of subjects of their own. Resolves to their sequences. */
const many = async (kind = "test", count = COMMITS): Promise<ReadonlyArray<number>> => {
  const { log } = process()
  const results = Array.from({ length: count }, () =>
    log.append([{ subject: subjects.event(kind, `v${++names}`), expected: 0, commit: commitOf(`${names}`) }])
  )
  return (await Promise.all(results)).map(seqOf)
}

/** All of the log: sealed and dropped. */
const archived = async (): Promise<void> => {
  const end = await ended()
  const { parts, archive } = process()
  const policy = { ...parts.policy, segmentChars: 1_000_000 }
  while (archive.through < end) await Effect.runPromise(archiveOnce({ ...parts, policy }))
  expect((await bus.manager.streams.info(streams.events)).state.first_seq).toBeGreaterThan(end)
}

/** The log is archived and dropped right after the reader has first asked how far the archive reaches. */
const archivedAtOnce = (archive: Archive): Archive => {
  let looks = 0
  const refresh = async () => {
    const moved = await archive.refresh()
    if (++looks === 1) await archived()
    return moved
  }
  return withOther(archive, "refresh", refresh)
}

/** The archive, and how often it was read since. */
const counted = (archive: Archive) => {
  const seen = { pages: 0 }
  const page = (after: number, size: number) => {
    seen.pages++
    return archive.page(after, size)
  }
  return { seen, archive: withOther(archive, "page", page) }
}

describe("a reading of the log", () => {
  const options = { archivedPage: 100 }

  test("that is slow goes on in the archive, and misses nothing", async () => {
    const from = (await ended()) + 1
    const seqs = await many()
    const { archive, seen } = counted(process().archive)
    const read: Array<number> = []
    let archiving: Promise<void> | undefined
    const receive = ({ seq, subject }: { readonly seq: number; readonly subject: string }) => {
      archiving ??= archived()
      if (subject.startsWith(subjects.event("test", "v"))) read.push(seq)
    }
    // One message at a time is on its way.
    const reading = new LogReading(bus.nats, archive, from, receive, { ...options, pullMessages: 1 })
    const fiber = Effect.runFork(reading.run)
    await waitFor(() => reading.reached >= (seqs.at(-1) ?? 0), { describe: "all of it" })
    await Effect.runPromise(Fiber.interrupt(fiber))
    await archiving
    expect(read).toEqual(seqs)
    expect(seen.pages).toBeGreaterThan(0)
  })

  test("is not led over what is dropped before it follows the log, also of one kind", async () => {
    for (const [kind, filter] of [
      ["test", undefined],
      ["other", subjects.eventsOf("other")]
    ] as const) {
      const from = (await ended()) + 1
      const seqs = await many(kind, 20)
      const read: Array<number> = []
      const receive = ({ seq, subject }: { readonly seq: number; readonly subject: string }) => {
        if (subject.startsWith(subjects.event(kind, "v"))) read.push(seq)
      }
      const reading = new LogReading(bus.nats, archivedAtOnce(process().archive), from, receive, {
        ...options,
        ...(filter === undefined ? {} : { filter })
      })
      const fiber = Effect.runFork(reading.run)
      await waitFor(async () => (await reading.pending()) === 0 && !reading.isArchived, { describe: "the log's end" })
      expect(read, kind).toEqual(seqs)
      const more = await many(kind, 1)
      await waitFor(() => read.length > seqs.length, { describe: "what comes" })
      await Effect.runPromise(Fiber.interrupt(fiber))
      expect(read).toEqual([...seqs, ...more])
    }
  })

  test("fails where it is overtaken and the archive cannot be read", async () => {
    const from = (await ended()) + 1
    const [first = 0] = await many("test", 20)
    const archive = withOther(archivedAtOnce(process().archive), "page", () => Promise.reject(new Error("damaged")))
    const read: Array<number> = []
    const reading = new LogReading(bus.nats, archive, from, ({ seq }) => read.push(seq), options)
    const looked = Effect.promise(() =>
      waitFor(async () => (await reading.pending().catch(() => null)) === 0, { describe: "an end" })
    )
    await expect(Effect.runPromise(Effect.raceFirst(reading.run, looked))).rejects.toThrow("damaged")
    expect(read.filter((seq) => seq >= first)).toEqual([])
  })
})

test("a look at the log up to a place has all of it", async () => {
  const seqs = await many("test", 50)
  const read: Array<number> = []
  const archive = archivedAtOnce(process().archive)
  await Effect.runPromise(readLog({ nats: bus.nats, archive }, seqs.at(-1) ?? 0, ({ seq }) => read.push(seq)))
  expect(read.filter((seq) => seq >= (seqs[0] ?? 0))).toEqual(seqs)
})

test("the place of a time is the same where the log is dropped as it is looked for", async () => {
  const [before = 0] = await many("test", 1)
  const { state } = await bus.manager.streams.info(streams.events)
  const time = Date.parse(state.last_ts)
  await expect.poll(() => Date.now()).toBeGreaterThan(time + 1)
  const [after = 0] = await many("test", 1)
  const standing = (await bus.manager.streams.info(streams.events)).state
  await archived()
  const { archive } = process()
  const place = await placeOf({ manager: bus.manager, archive }, { time }, standing)
  expect(place).toBeGreaterThanOrEqual(before)
  expect(place).toBeLessThan(after)
})

test("a reader of the feed that no archiver waits for goes on in the archive", async () => {
  for (const kinds of [["test"], ["rare"]]) {
    const from = (await ended()) + 1
    const seqs = await many(kinds[0], 30)
    const feed = new Feed(bus.nats, NO_TRACING, streams.events, 10_000, archivedAtOnce(process().archive))
    const read: Array<number> = []
    const done = Deferred.makeUnsafe<void>()
    const more: Array<number> = []
    const reading = Effect.gen(function* () {
      const own = kinds.map((kind) => subjects.eventsOf(kind)) as [string]
      const { pending } = yield* feed.read({ stream: streams.events, subjects: own, kinds }, from, ({ seq }) => {
        read.push(seq)
        if (read.length === seqs.length + 1) Deferred.doneUnsafe(done, Effect.void)
      })
      yield* Effect.promise(() => pending().catch(() => null))
      more.push(...(yield* Effect.promise(() => many(kinds[0], 1))))
      yield* Deferred.await(done).pipe(Effect.timeout("20 seconds"))
    })
    await Effect.runPromise(Effect.scoped(reading))
    expect(read).toEqual([...seqs, ...more])
  }
})
