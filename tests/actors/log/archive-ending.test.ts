/** Commits with an end in the archive: read until then, and then gone from its objects, whatever was ended on the way. */
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { zstdDecompressSync } from "node:zlib"
import { type Clock, Effect, Stream } from "effect"
import type { Kysely } from "kysely"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import type { ArchiverParts } from "../../../actors/log/archive/archiver.ts"
import { removeEnded } from "../../../actors/log/archive/ending.ts"
import { folderOf } from "../../../actors/log/archive/objects.ts"
import { archivedIn, Segment, SegmentWriter } from "../../../actors/log/archive/segment.ts"
import type { Append } from "../../../actors/log/commit.ts"
import { pagesOf } from "../../../actors/log/stream-pages.ts"
import { type Database, openDatabase } from "../../../actors/tables/database.ts"
import { checkSegments, copySegments } from "../../../ops/backup/segments.ts"
import { machineClock, wallMs } from "../../../schemas/runtime/clock.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { type EngineBus, startBus } from "../engine/bus.ts"
import { commitOf, emptied, historyOf, idsIn, processOn, seqOf, withOther, withWriter, written } from "./processes.ts"

const HOUR_MS = 3_600_000
const WEEK_MS = 168 * HOUR_MS
const KEPT_SECONDS = 3600

let bus: EngineBus
let db: Kysely<Database>
let folder: string
let names = 0
/** The end of the week in which commits of `KEPT_SECONDS` end. The tests never wait for it: they move the clock. */
let weekEnd = 0

beforeAll(async () => {
  bus = await startBus()
  db = openDatabase(bus.servers.postgres.url)
  folder = await mkdtemp(join(tmpdir(), "archive-"))
})
beforeEach(() => {
  weekEnd = Math.ceil((Date.now() + KEPT_SECONDS * 1000) / WEEK_MS) * WEEK_MS
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await db.destroy()
  await bus.stop()
})

const subject = () => subjects.event("test", `e${++names}`)
/** The machine's clock, as if it were this time (Unix ms) now. */
const clockAt = (time: number) => {
  const ahead = time - Date.now()
  return withOther(machineClock, "currentTimeMillisUnsafe", () => Date.now() + ahead)
}
/** The bus's manager, as if it were this time (Unix ms) there. */
const managerAt = (time: number) => {
  const ahead = time - Date.now()
  const info = async (...asked: Parameters<typeof bus.manager.streams.info>) => ({
    ...(await bus.manager.streams.info(...asked)),
    ts: new Date(Date.now() + ahead).toISOString()
  })
  return withOther(bus.manager, "streams", withOther(bus.manager.streams, "info", info))
}
/** A process at a time, by its own clock and by the bus's. */
const process = (time = Date.now(), ofBus = time) =>
  processOn({ nats: bus.nats, manager: managerAt(ofBus), db, folder, clock: clockAt(time) })
/** Two weeks, because a test may begin right before a week ends. */
const afterwards = () => process(weekEnd + WEEK_MS + 2 * HOUR_MS)
const ending = (one: string, id: string, expected = 0): Append => ({
  subject: one,
  expected,
  commit: commitOf(id),
  keepSeconds: KEPT_SECONDS
})
/** The beginning of an id as objects have it. */
const idHeld = (id: string) => `"id":"${id}`

/** Objects in which a text is found. */
const holding = async (text: string, of = folder): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const name of await readdir(of)) {
    const bytes = await readFile(join(of, name))
    if (bytes.length > 0 && zstdDecompressSync(bytes).toString().includes(text)) found.push(name)
  }
  return found
}

const readIds = async (from: number, { archive }: ReturnType<typeof process>): Promise<ReadonlyArray<string>> => {
  const pages = pagesOf(bus.nats, streams.events, from, 3, subjects.eventsOf("test"), archive)
  const found = await Effect.runPromise(Stream.runCollect(pages))
  return found.flat().map(({ data }) => (JSON.parse(new TextDecoder().decode(data)) as { id: string }).id)
}

test("a commit with an end leaves the archive when its week is over, and the others of its segment stay", async () => {
  const { log, run, archive } = process()
  const { last_seq: from } = (await bus.manager.streams.info(streams.events)).state
  const [one, other] = [subject(), subject()]
  await written(log, other, ["lasts-a"])
  const seq = seqOf(await log.append([ending(one, "secret-a")]))
  await written(log, other, ["lasts-b"], await log.lastSeq(other))
  await run()
  expect(await readIds(from, process())).toEqual(["lasts-a", "secret-a", "lasts-b"])
  expect(idsIn(await historyOf(process().log, one))).toEqual(["secret-a"])
  expect(await log.last(one)).toMatchObject({ seq })
  const held = await holding(idHeld("secret-a"))
  expect(held).toHaveLength(1)
  expect(held[0]).toMatch(/^until-\d{11}-\d{16}-\d{16}-[0-9a-f]{16}\.zst$/)

  // Its end has come, and not yet that of its week.
  const between = process(Date.now() + KEPT_SECONDS * 1000 + 1000)
  await between.run()
  expect(await holding(idHeld("secret-a"))).toEqual(held)
  expect(await historyOf(between.log, one)).toEqual([])

  // One clock alone is ahead.
  const later = afterwards()
  const past = wallMs(later.archive.clock)
  for (const [own, ofBus] of [
    [past, Date.now()],
    [Date.now(), past]
  ] as const) {
    await process(own, ofBus).run()
    expect(await holding(idHeld("secret-a"))).toEqual(held)
  }
  expect(await readIds(from, later)).toEqual(["lasts-a", "lasts-b"])
  await later.run()
  expect(await holding(idHeld("secret-a"))).toEqual([])
  expect(await holding(idHeld("lasts-a"))).toHaveLength(1)
  for (const reader of [later, afterwards()]) {
    expect(await readIds(from, reader)).toEqual(["lasts-a", "lasts-b"])
    expect(idsIn(await historyOf(reader.log, other))).toEqual(["lasts-a", "lasts-b"])
    expect(await historyOf(reader.log, one)).toEqual([])
    expect(await reader.log.lastSeq(one)).toBe(0)
    expect(await reader.log.last(one)).toBeNull()
    expect(await reader.archive.at(seq)).toBeNull()
  }
  await archive.refresh()
  // The clock of this process is behind: it misses the part, and does not leave its commits out in silence.
  await expect(readIds(from, process())).rejects.toThrow(/ENOENT/)
})

test("commits before one that has gone are found, in its segment and in older ones", async () => {
  const one = subject()
  const { log } = process()
  let last = await written(log, one, ["a"])
  await process().run()
  last = seqOf(await log.append([ending(one, "gone-b", last)]))
  await process().run()
  last = await written(log, one, ["c"], last)
  last = seqOf(await log.append([ending(one, "gone-d", last)]))
  last = await written(log, one, ["e"], last)
  await process().run()
  last = seqOf(await log.append([ending(one, "gone-f", last)]))
  await written(log, one, ["g"], last)
  await process().run()
  expect(idsIn(await historyOf(process().log, one, 10))).toEqual(["a", "gone-b", "c", "gone-d", "e", "gone-f", "g"])
  await afterwards().run()
  expect(await holding(idHeld("gone-"))).toEqual([])
  for (const size of [1, 10]) expect(idsIn(await historyOf(afterwards().log, one, size))).toEqual(["a", "c", "e", "g"])
  // The index is made again from what is left.
  const last2 = await afterwards().log.lastSeq(one)
  await emptied(process().index)
  await afterwards().run()
  expect(await afterwards().log.lastSeq(one)).toBe(last2)
  expect(idsIn(await historyOf(afterwards().log, one))).toEqual(["a", "c", "e", "g"])
})

const ended = () => Promise.reject(new Error("ended"))

test.each(["part", "segment", "add", "mark"] as const)(
  "an archiver that was ended at the %s leaves nothing that stays longer",
  async (fails) => {
    const { log, parts, index, runWith } = process()
    const [one, other] = [subject(), subject()]
    await log.append([ending(one, `killed-${fails}`)])
    await written(log, other, [`stays-${fails}`])
    const put = async (name: string, bytes: Uint8Array): Promise<void> => {
      if (name.startsWith("until-") !== (fails === "part")) return parts.objects.put(name, bytes)
      // A file that a killed process had begun.
      if (fails === "part") await writeFile(join(folder, `${name}.0a0b0c0d.partial`), bytes)
      return ended()
    }
    const broken: ArchiverParts = {
      ...parts,
      objects: fails === "part" || fails === "segment" ? { ...parts.objects, put } : parts.objects,
      log: fails === "mark" ? withOther(log, "append", ended) : log,
      index: fails === "add" ? withWriter(index, (writer) => withOther(writer, "add", ended)) : index
    }
    await expect(runWith(broken)).rejects.toThrow("ended")
    // Another stretch than the broken run's: its parts are in no segment.
    await written(process().log, subject(), ["more"])
    await process().run()
    expect(idsIn(await historyOf(process().log, one))).toEqual([`killed-${fails}`])
    expect((await holding(idHeld(`killed-${fails}`))).length).toBe(2)
    await afterwards().run()
    expect(await holding(idHeld(`killed-${fails}`))).toEqual([])
    expect(idsIn(await historyOf(afterwards().log, other))).toEqual([`stays-${fails}`])
  }
)

test("a removal that was ended is gone on from, and does not keep the log from being archived", async () => {
  const { log, run } = process()
  for (const id of ["left-a", "left-b", "left-c"]) {
    await log.append([ending(subject(), id)])
    await run()
  }
  const [later, after] = [afterwards(), subject()]
  await written(log, after, ["after"])
  let removed = 0
  const remove = (name: string) => (removed++ === 1 ? ended() : later.parts.objects.remove(name))
  await expect(later.runWith({ ...later.parts, objects: { ...later.parts.objects, remove } })).rejects.toThrow("ended")
  expect(await holding(idHeld("left-"))).toHaveLength(2)
  expect(await holding(idHeld("after"))).toHaveLength(1)
  // Two at once, one of which knows nothing of the other.
  const now = weekEnd + WEEK_MS + 2 * HOUR_MS
  await Promise.all([removeEnded(folderOf(folder), now), removeEnded(folderOf(folder), now)])
  expect(await holding(idHeld("left-"))).toEqual([])
  expect(idsIn(await historyOf(afterwards().log, after))).toEqual(["after"])
})

test("a backup has what has not ended, loses it at its end, and is whole before and after", async () => {
  const [one, other, beside, back] = [subject(), subject(), await tempFolder(), await tempFolder()]
  // It ends after all others of these tests.
  const appended = { ...ending(one, "backed-up"), keepSeconds: 60 * 86_400 }
  const { log } = afterwards()
  seqOf(await log.append([appended]))
  await written(log, other, ["kept"])
  await afterwards().run()
  const { archive } = afterwards()
  await archive.refresh()
  const newest = archive.mark.segment
  if (newest === null) throw new Error("nothing is archived")
  const { signal } = new AbortController()
  const before = clockAt(weekEnd + WEEK_MS + 2 * HOUR_MS)
  const later = clockAt(Date.now() + 60 * 86_400_000 + WEEK_MS + 2 * HOUR_MS)
  const isWhole = (of: string, clock: Clock.Clock) => checkSegments(folderOf(of), newest, signal, clock)
  try {
    await copySegments(folderOf(folder), folderOf(beside), newest, signal, before)
    expect(await holding(idHeld("backed-up"), beside)).toHaveLength(1)
    const count = await isWhole(beside, before)
    expect(count).toBeGreaterThan(0)
    // A folder that lacks a part before its end is not whole.
    const [part = ""] = await holding(idHeld("backed-up"), beside)
    await rename(join(beside, part), join(beside, "elsewhere"))
    await expect(isWhole(beside, before)).rejects.toThrow(/is not whole/)
    await writeFile(join(beside, part), "damaged")
    await expect(isWhole(beside, before)).rejects.toThrow(/until-.* does not have the hash/)
    await rename(join(beside, "elsewhere"), join(beside, part))
    // It is gone where the log runs. A backup of before is restored from its own copy: before the end, and after.
    await process(wallMs(later)).run()
    expect(await holding(idHeld("backed-up"))).toEqual([])
    expect(await isWhole(folder, later)).toBe(count)
    await copySegments(folderOf(beside), folderOf(back), newest, signal, before)
    expect(await holding(idHeld("backed-up"), back)).toHaveLength(1)
    expect(await isWhole(back, before)).toBe(count)
    expect(await isWhole(beside, later)).toBe(count)
    // As the next backup does with the folder beside it.
    await removeEnded(folderOf(beside), wallMs(later))
    expect(await holding(idHeld("backed-up"), beside)).toEqual([])
    expect(await isWhole(beside, later)).toBe(count)
    await rm(back, { recursive: true })
    await copySegments(folderOf(beside), folderOf(back), newest, signal, later)
    expect(await isWhole(back, later)).toBe(count)
    expect(await holding(idHeld("kept"), back)).toHaveLength(1)
  } finally {
    await Promise.all([beside, back].map((name) => rm(name, { recursive: true, force: true })))
  }
})

const tempFolder = () => mkdtemp(join(tmpdir(), "archive-beside-"))

test("blocks and their parts are one text in order, whatever part is over, and damage in a part is noticed", async () => {
  const writer = new SegmentWriter()
  const weeks = [null, WEEK_MS, 2 * WEEK_MS, 2 * WEEK_MS + 1]
  for (let seq = 1; seq <= 3000; seq++) {
    // The first blocks have nothing that lasts.
    const expires = weeks[seq <= 700 ? 1 + (seq % 3) : seq % 4] ?? null
    const data = Buffer.from(JSON.stringify(commitOf(String(seq))))
    await writer.add({ seq, subject: `HUB.test.g${seq % 50}`, at: 1, previous: 0, expires, traceparent: null, data })
  }
  const sealed = await writer.end(1, 3000, null)
  expect(sealed.parts).toHaveLength(3)
  const objects = new Map(sealed.parts.map(({ name, object }) => [name, object]))
  const read = async (over: number) => {
    const objectOf = (bytes: Buffer) => ({
      bytes: bytes.length,
      read: (offset: number, count: number) => Promise.resolve(bytes.subarray(offset, offset + count))
    })
    const open = (name: string) => Promise.resolve(objectOf(objects.get(name) ?? Buffer.alloc(0)))
    const segment = await Segment.open(objectOf(sealed.object), { areOver: (ends) => ends <= over, open })
    expect(segment.blockCount).toBeGreaterThan(3)
    const lines: Array<string> = []
    for (let block = 0; block < segment.blockCount; block++) lines.push(...(await segment.block(block)))
    return lines.map(archivedIn)
  }
  const all = await read(0)
  expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: 3000 }, (_, at) => at + 1))
  for (const over of [WEEK_MS, 2 * WEEK_MS, 3 * WEEK_MS])
    expect(await read(over)).toEqual(all.filter(({ expires }) => expires === null || expires > over))
  for (const [name, object] of objects) {
    const damaged = Buffer.from(object)
    damaged[10] = (damaged[10] ?? 0) ^ 1
    objects.set(name, damaged)
    await expect(read(0)).rejects.toThrow(/cannot be unpacked/)
    objects.set(name, object)
  }
})
