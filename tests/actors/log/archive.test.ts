/** The log's older part: sealed, dropped from the log, and read, written on and fenced as before. */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { zstdDecompressSync } from "node:zlib"
import { jetstream } from "@nats-io/jetstream"
import { Effect, Stream } from "effect"
import type { Kysely } from "kysely"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { archiveOnce, type ArchiverParts } from "../../../actors/log/archive/archiver.ts"
import type { Commit } from "../../../actors/log/commit.ts"
import { pagesOf } from "../../../actors/log/stream-pages.ts"
import { type Database, openDatabase } from "../../../actors/tables/database.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { type EngineBus, startBus } from "../engine/bus.ts"
import { commitOf, emptied, historyOf, idsIn, processOn, seqOf, withOther, withWriter, written } from "./processes.ts"

let bus: EngineBus
let db: Kysely<Database>
let folder: string
let names = 0

beforeAll(async () => {
  bus = await startBus()
  db = openDatabase(bus.servers.postgres.url)
  // One for all: the tests write to one log.
  folder = await mkdtemp(join(tmpdir(), "archive-"))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await db.destroy()
  await bus.stop()
})
const subject = () => subjects.event("test", `s${++names}`)
const process = () => processOn({ nats: bus.nats, manager: bus.manager, db, folder })

const hotCount = async (one: string): Promise<number> => {
  const { state } = await bus.manager.streams.info(streams.events, { subjects_filter: one })
  return Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0)
}

describe("the archive", () => {
  test("has what was dropped from the log, and the log goes on from there", async () => {
    const { log, run } = process()
    const one = subject()
    const last = await written(log, one, ["a", "b", "c"])
    const before = await historyOf(log, one)
    const through = (await run())?.through ?? 0
    expect(through).toBeGreaterThanOrEqual(last)
    expect(await hotCount(one)).toBe(0)
    expect(await historyOf(log, one)).toEqual(before)
    expect(await log.lastSeq(one)).toBe(last)
    expect(await log.last(one)).toEqual(before.at(-1))
    const next = await written(log, one, ["d"], last)
    expect(await log.last(one)).toMatchObject({ seq: next, previous: last })
    expect(idsIn(await historyOf(log, one))).toEqual(["a", "b", "c", "d"])
    await run()
    expect(await hotCount(one)).toBe(0)
    expect(idsIn(await historyOf(log, one))).toEqual(["a", "b", "c", "d"])
  })

  test("commits that do not say what they follow are found all the same", async () => {
    const { log, run } = process()
    const [one, other] = [subject(), subject()]
    for (const id of ["a", "b", "c"]) {
      // As a restore writes them: without what the batch had said.
      await jetstream(bus.nats).publish(one, JSON.stringify(commitOf(id)))
      await written(log, other, [id], await log.lastSeq(other))
      await run()
    }
    expect(await hotCount(one)).toBe(0)
    expect(idsIn(await historyOf(log, one))).toEqual(["a", "b", "c"])
  })

  test("is text for whoever unpacks an object", async () => {
    const { log, run } = process()
    const one = subject()
    await written(log, one, ["readable"])
    await run()
    const texts = await Promise.all(
      (await readdir(folder)).map(async (name) => {
        const bytes = await readFile(join(folder, name))
        return zstdDecompressSync(bytes).toString()
      })
    )
    expect(texts.join("")).toContain(`${one} `)
  })

  test("a subject that is archived is not begun again, by whoever", async () => {
    const first = process()
    const late = process()
    const [claim, other] = [subject(), subject()]
    await written(first.log, claim, ["claimed"])
    await first.run()
    // It knows of no mark: the guard refuses what it believes.
    expect(await late.log.append([{ subject: claim, expected: 0, commit: commitOf("late") }])).toMatchObject({
      ok: false,
      reason: "conflict"
    })
    const group = [
      { subject: other, expected: 0, commit: commitOf("joint") },
      { subject: claim, expected: 0, commit: commitOf("joint") }
    ]
    for (const { log } of [first, late, process()])
      expect(await log.append(group)).toMatchObject({ ok: false, reason: "conflict" })
    expect(await first.log.lastSeq(other)).toBe(0)
    expect(idsIn(await historyOf(late.log, claim))).toEqual(["claimed"])
  })

  test("who stood still while another wrote on, and that was archived too, is refused", async () => {
    const stale = process()
    const one = subject()
    const stood = await written(stale.log, one, ["a"])
    await stale.run()
    const owner = process()
    await owner.archive.refresh()
    await written(owner.log, one, ["b"], stood)
    await owner.run()
    expect(await hotCount(one)).toBe(0)
    expect(await stale.log.append([{ subject: one, expected: stood, commit: commitOf("c") }])).toMatchObject({
      ok: false,
      reason: "conflict"
    })
    expect(idsIn(await historyOf(stale.log, one))).toEqual(["a", "b"])
  })

  test("new subjects and archived ones go in one batch; one of them that is wrong costs the others nothing", async () => {
    const { log, run } = process()
    const all = Array.from({ length: 30 }, subject)
    const stands = await Promise.all(all.map((one) => written(log, one, ["a"])))
    await run()
    const appends = all.map((one, index) =>
      log.append([{ subject: one, expected: index === 7 ? 0 : (stands[index] ?? 0), commit: commitOf("b") }])
    )
    const begun = Array.from({ length: 30 }, subject)
    const news = begun.map((one) => log.append([{ subject: one, expected: 0, commit: commitOf("a") }]))
    const results = await Promise.all([...appends, ...news])
    expect(results.filter(({ ok }) => !ok)).toHaveLength(1)
    expect(results[7]?.ok).toBe(false)
    for (const [index, one] of all.entries())
      expect(idsIn(await historyOf(log, one))).toEqual(index === 7 ? ["a"] : ["a", "b"])
  })

  test("what the log would have forgotten is forgotten in the archive too", async () => {
    const { log, run, archive } = process()
    const one = subject()
    const result = await log.append([{ subject: one, expected: 0, commit: commitOf("short"), keepSeconds: 2 }])
    const until = Date.now() + 2000
    await run()
    expect(await log.lastSeq(one)).toBe(Date.now() < until ? seqOf(result) : 0)
    await expect.poll(() => log.lastSeq(one)).toBe(0)
    expect(await log.last(one)).toBeNull()
    expect(await historyOf(log, one)).toEqual([])
    expect((await archive.page(seqOf(result) - 1, 1))?.commits.some(({ subject: of }) => of === one) ?? false).toBe(
      false
    )
    // It may begin anew, as in the log.
    seqOf(await log.append([{ subject: one, expected: 0, commit: commitOf("anew") }]))
    expect(idsIn(await historyOf(log, one))).toEqual(["anew"])
  })

  test("pages go through archive and log as one, by pattern", async () => {
    const { log, run, archive } = process()
    const { last_seq: from } = (await bus.manager.streams.info(streams.events)).state
    const [one, other] = [subject(), subjects.event("other", `o${++names}`)]
    const stood = await written(log, one, ["a", "b"])
    await written(log, other, ["x"])
    await run()
    await written(log, one, ["c"], stood)
    const read = async (pattern: string, size: number) => {
      const pages = pagesOf(bus.nats, streams.events, from, size, pattern, archive)
      const found = await Effect.runPromise(Stream.runCollect(pages))
      // A reader of a page's last message would take an empty page for the end.
      expect(found.filter((page) => page.length === 0)).toEqual([])
      const all = found.flat()
      return all
        .filter(({ subject: of }) => [one, other].includes(of))
        .map(({ data }) => (JSON.parse(new TextDecoder().decode(data)) as Commit).id)
    }
    for (const size of [1, 2, 100]) {
      expect(await read(">", size)).toEqual(["a", "b", "x", "c"])
      expect(await read(subjects.eventsOf("test"), size)).toEqual(["a", "b", "c"])
      expect(await read(other, size)).toEqual(["x"])
    }
  })

  test("an index that is lost is made again; until then nothing is said of what is archived", async () => {
    const { log, run, index } = process()
    const one = subject()
    const last = await written(log, one, ["a", "b"])
    await run()
    await emptied(index)
    await expect(log.lastSeq(one)).rejects.toThrow(/index of the archive/)
    expect(await log.append([{ subject: one, expected: last, commit: commitOf("c") }])).toEqual({
      ok: false,
      reason: "unasked"
    })
    await run()
    expect(await log.lastSeq(one)).toBe(last)
    expect(idsIn(await historyOf(process().log, one))).toEqual(["a", "b"])
  })

  test("one that was ended between its steps is gone on from, and a second one at once gives up", async () => {
    const one = subject()
    for (const fails of ["put", "add", "mark"] as const) {
      const { log, parts, index } = process()
      const last = await log.lastSeq(one)
      const stood = await written(log, one, [`before ${fails}`], last)
      const broken: ArchiverParts = {
        ...parts,
        objects: fails === "put" ? { ...parts.objects, put: () => Promise.reject(new Error("ended")) } : parts.objects,
        log:
          fails === "mark"
            ? new Proxy(log, { get: (of, key) => (key === "append" ? ended : Reflect.get(of, key)) })
            : log,
        index: fails === "add" ? withWriter(index, (writer) => withOther(writer, "add", ended)) : index
      }
      await expect(Effect.runPromise(archiveOnce(broken))).rejects.toThrow()
      expect(await hotCount(one)).toBe(1)
      await process().run()
      expect(await hotCount(one)).toBe(0)
      expect(await process().log.lastSeq(one)).toBe(stood)
    }
    const two = subject()
    await written(process().log, two, ["a"])
    const [left, right] = [process(), process()]
    await Promise.allSettled([left.run(), right.run()])
    await process().run()
    expect(await hotCount(two)).toBe(0)
    expect(idsIn(await historyOf(process().log, two))).toEqual(["a"])
    expect(idsIn(await historyOf(process().log, one))).toEqual(["before put", "before add", "before mark"])
  })

  test("a segment that was changed is not believed", async () => {
    const { log, run, index } = process()
    const one = subject()
    await written(log, one, ["a"])
    await run()
    for (const name of await readdir(folder)) {
      const bytes = await readFile(join(folder, name))
      bytes[10] = (bytes[10] ?? 0) ^ 1
      await writeFile(join(folder, name), bytes)
    }
    await expect(historyOf(process().log, one)).rejects.toThrow()
    await emptied(index)
    await expect(run()).rejects.toThrow(/does not have the hash/)
  })
})

const ended = () => Promise.reject(new Error("ended"))
