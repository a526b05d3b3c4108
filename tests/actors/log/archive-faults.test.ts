/** The archive where something around it fails: an archiver that ends, an index that lags, objects that are damaged. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { headers, type NatsConnection } from "@nats-io/transport-node"
import { Effect, Stream } from "effect"
import { type Kysely, sql } from "kysely"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { archiveOnce } from "../../../actors/log/archive/archiver.ts"
import { Segment, SegmentWriter, type Archived } from "../../../actors/log/archive/segment.ts"
import { doneBy } from "../../../actors/process/archiving.ts"
import { archivedPages } from "../../../actors/log/stream-pages.ts"
import { type Database, openDatabase } from "../../../actors/tables/database.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { type EngineBus, startBus } from "../engine/bus.ts"
import {
  commitOf,
  emptied,
  historyOf,
  idsIn,
  processOn,
  seqOf,
  withOther,
  withWriter,
  written,
  type Place
} from "./processes.ts"

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

const subject = () => subjects.event("test", `f${++names}`)
const process = (more: Partial<Pick<Place, "nats" | "replicated" | "find">> = {}) =>
  processOn({ nats: bus.nats, manager: bus.manager, db, folder, ...more })

const hotCount = async (one: string): Promise<number> => {
  const { state } = await bus.manager.streams.info(streams.events, { subjects_filter: one })
  return Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0)
}

const ended = () => Promise.reject(new Error("ended"))
const NO_PARTS = { areOver: () => false, open: ended }

describe("an archiver that was ended before its mark", () => {
  test("leaves a log that is read, although nothing may be archived for now", async () => {
    const { log, run, parts } = process()
    const one = subject()
    const stood = await written(log, one, ["a", "b"])
    await run()
    await written(log, one, ["c"], stood)
    await expect(Effect.runPromise(archiveOnce({ ...parts, log: withOther(log, "append", ended) }))).rejects.toThrow()
    const idle = process()
    await Effect.runPromise(archiveOnce({ ...idle.parts, done: () => Promise.resolve(0) }))
    expect(idsIn(await historyOf(process().log, one))).toEqual(["a", "b", "c"])
    await idle.archive.refresh()
    expect(idsIn(await historyOf(idle.log, one))).toEqual(["a", "b", "c"])
    await process().run()
    expect(await hotCount(one)).toBe(0)
    expect(idsIn(await historyOf(process().log, one))).toEqual(["a", "b", "c"])
  })
})

describe("an archiver whose lock another has taken", () => {
  /** Ends all sessions of Postgres that hold the index's lock: nobody is told. */
  const lost = async () => {
    const { rows } = await sql<{ pid: number }>`
      select pid, pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objsubid = 1
        and database = (select oid from pg_database where datname = current_database())`.execute(db)
    expect(rows).toHaveLength(1)
    await expect
      .poll(() =>
        sql`select from pg_stat_activity where pid = ${rows[0]?.pid}`.execute(db).then((one) => one.rows.length)
      )
      .toBe(0)
  }
  const begun = async () => {
    const { log } = process()
    const one = subject()
    const last = await written(log, one, ["a", "b"])
    return { one, last }
  }
  /** The expected content of the index after all that. */
  const isWhole = async (one: string, last: number) => {
    const reader = process()
    expect(await reader.log.lastSeq(one)).toBe(last)
    expect(idsIn(await historyOf(reader.log, one))).toEqual(["a", "b"])
    expect((await reader.log.append([{ subject: one, expected: 0, commit: commitOf("twice") }])).ok).toBe(false)
    await reader.archive.refresh()
    const known = await reader.index.segmentsAfter(0)
    expect(known.at(-1)?.sha256).toBe(reader.archive.mark.segment?.sha256)
    for (const [at, { first }] of known.entries()) expect(first).toBe((known[at - 1]?.last ?? 0) + 1)
  }

  test.each(["add", "removeSegments", "removeExpired", "empty"] as const)(
    "changes nothing of the index by `%s`",
    async (step) => {
      const { one, last } = await begun()
      const stale = process()
      let outcome = ""
      const index = withWriter(stale.index, (writer) => {
        const name = { first: 1, last: 1, sha256: "0".repeat(64) }
        const acts = {
          add: () => writer.add(name, new Map()),
          removeSegments: () => writer.removeSegments(0),
          removeExpired: () => writer.removeExpired(Date.now()),
          empty: () => writer.empty()
        }
        const overtaken = async (): Promise<void> => {
          await lost()
          await process().run()
          outcome = await acts[step]().then(
            () => "written",
            () => "refused"
          )
          throw new Error("ended")
        }
        // Each run comes by this one.
        return withOther(writer, "removeExpired", overtaken)
      })
      await expect(Effect.runPromise(archiveOnce({ ...stale.parts, index }))).rejects.toThrow()
      expect(outcome).toBe("refused")
      await isWhole(one, last)
    }
  )

  test("seals nothing behind a mark that its process has only read since", async () => {
    const { one, last } = await begun()
    const stale = process()
    const put = async (name: string, bytes: Uint8Array) => {
      await stale.parts.objects.put(name, bytes)
      await lost()
      await process().run()
      // Another reader of the same process.
      await stale.archive.refresh()
    }
    const objects = { ...stale.parts.objects, put }
    await expect(Effect.runPromise(archiveOnce({ ...stale.parts, objects }))).rejects.toThrow()
    await isWhole(one, last)
  })

  test("drops nothing from the log", async () => {
    const { one } = await begun()
    const stale = process()
    let looks = 0
    const done = async () => {
      if (++looks === 2) await lost()
      return Number.MAX_SAFE_INTEGER
    }
    await expect(Effect.runPromise(archiveOnce({ ...stale.parts, done }))).rejects.toThrow()
    expect(looks).toBe(2)
    expect(await hotCount(one)).toBe(2)
    await process().run()
    expect(await hotCount(one)).toBe(0)
  })
})

test("a replica that lags behind does not make all of the log old", async () => {
  const { log, parts } = process()
  const one = subject()
  const stood = await written(log, one, ["a"])
  const { state } = await bus.manager.streams.info(streams.events)
  const begun = Date.parse(state.first_ts)
  await expect.poll(() => Date.now() - begun).toBeGreaterThan(2000)
  await written(log, one, ["b"], stood)
  const lagging = { ...bus.manager.direct, getMessage: () => Promise.resolve(null) }
  // The first is old by a moment, and the last is not.
  const hotSeconds = (Date.now() - begun - 1) / 1000
  const manager = withOther(bus.manager, "direct", lagging)
  await Effect.runPromise(archiveOnce({ ...parts, manager, policy: { ...parts.policy, hotSeconds } }))
  expect(await hotCount(one)).toBe(2)
})

describe("commits", () => {
  test("are read where the log had forgotten the one before them when it was sealed", async () => {
    const { log, run } = process()
    const one = subject()
    const first = seqOf(await log.append([{ subject: one, expected: 0, commit: commitOf("a"), keepSeconds: 1 }]))
    await written(log, one, ["b"], first)
    await expect.poll(() => hotCount(one)).toBe(1)
    await run()
    expect(await hotCount(one)).toBe(0)
    expect(idsIn(await historyOf(process().log, one))).toEqual(["b"])
  })

  test("that do not say what they follow are read behind what is archived", async () => {
    const { log, run } = process()
    const one = subject()
    await written(log, one, ["a", "b"])
    await run()
    // As a restore writes what stood behind the cut of a backup.
    const text = JSON.stringify(commitOf("c"))
    await bus.nats.request(one, text, { headers: headers(), timeout: 5000 })
    expect(idsIn(await historyOf(process().log, one))).toEqual(["a", "b", "c"])
    await run()
    expect(await hotCount(one)).toBe(0)
    expect(idsIn(await historyOf(process().log, one))).toEqual(["a", "b", "c"])
  })
})

describe("a process that knows of no mark", () => {
  test("says nothing of a subject while the index is lost", async () => {
    const stale = process()
    const { log, run, index } = process()
    const one = subject()
    const last = await written(log, one, ["a"])
    await run()
    await emptied(index)
    await expect(stale.log.lastSeq(one)).rejects.toThrow(/index of the archive/)
    await expect(historyOf(process().log, one)).rejects.toThrow(/index of the archive/)
    await expect(process().log.last(one)).rejects.toThrow(/index of the archive/)
    await run()
    expect(await stale.log.lastSeq(one)).toBe(last)
  })

  test("reads what is archived where the stream has replicas", async () => {
    const stale = process({ replicated: true })
    const { log, run } = process()
    const one = subject()
    const last = await written(log, one, ["a", "b"])
    await run()
    expect(idsIn((await stale.log.read(one, 0, 10, last)).entries)).toEqual(["a", "b"])
  })
})

describe("an append", () => {
  test("goes through where its subject is dropped from the log between the look and the write", async () => {
    const one = subject()
    const last = await written(process().log, one, ["a"])
    const kept = process()
    const manager = withOther(
      bus.manager,
      "streams",
      withOther(bus.manager.streams, "purge", () => undefined)
    )
    await Effect.runPromise(archiveOnce({ ...kept.parts, manager }))
    expect(await hotCount(one)).toBe(1)
    let drops = 0
    const publish: NatsConnection["publish"] = (to, payload, options) => {
      const send = () => bus.nats.publish(to, payload, options)
      if (to !== one || drops++ > 0) return send()
      void Effect.runPromise(archiveOnce({ ...kept.parts, done: () => Promise.resolve(kept.archive.through) })).then(
        send
      )
    }
    const late = process({ nats: withOther(bus.nats, "publish", publish) })
    await late.archive.refresh()
    seqOf(await late.log.append([{ subject: one, expected: last, commit: commitOf("b") }]))
    expect(drops).toBeGreaterThan(1)
    expect(idsIn(await historyOf(process().log, one))).toEqual(["a", "b"])
  })

  test("is not refused where two batches at once learn that the archive has grown", async () => {
    const { log, run } = process()
    const all = Array.from({ length: 3 }, subject)
    // It knows of the mark before.
    const stale = process()
    await stale.archive.refresh()
    const [one, ...others] = await Promise.all(
      all.map(async (each) => ({ subject: each, expected: await written(log, each, ["a"]), commit: commitOf("b") }))
    )
    await run()
    if (one === undefined) throw new Error("there is one")
    const results = await Promise.all([stale.log.append([one]), stale.log.append(others)])
    expect(results.filter(({ ok }) => !ok)).toEqual([])
    expect(stale.log.counts.conflicts).toBe(0)
  })

  test("that waits for the index holds up no other, but what comes behind it on its subject", async () => {
    const { run } = process()
    const [hot, fresh] = [subject(), subject()]
    await written(process().log, subject(), ["a"])
    await run()
    let answer: () => void = () => undefined
    const answered = new Promise<void>((resolve) => (answer = resolve))
    const slow = process({
      find: async (index, subjects) => {
        if (subjects.length > 0) await answered
        return index.find(subjects)
      }
    })
    const last = await written(process().log, hot, ["a"])
    await slow.archive.refresh()
    const waiting = [
      slow.log.append([{ subject: fresh, expected: 0, commit: commitOf("first") }]),
      slow.log.append([{ subject: fresh, expected: 0, commit: commitOf("second") }])
    ]
    await written(slow.log, hot, ["b", "c"], last)
    expect(await hotCount(fresh)).toBe(0)
    answer()
    expect((await Promise.all(waiting)).map(({ ok }) => ok)).toEqual([true, false])
    expect(idsIn(await historyOf(process().log, fresh))).toEqual(["first"])
    expect(idsIn(await historyOf(process().log, hot))).toEqual(["a", "b", "c"])
  })

  test("asks for no subject whose number its actor has drawn, and guards it by the actor's own", async () => {
    const [own, fresh, other] = [subject(), subject(), subject()]
    await written(process().log, subject(), ["a"])
    await process().run()
    const blind = () => process({ find: (index, asked) => (asked.length > 0 ? ended() : index.find(asked)) })
    const last = await written(process().log, own, ["a"])
    const group = (expected: number, id: string) => [
      { subject: own, expected, commit: commitOf(id) },
      { subject: fresh, expected: 0, drawn: true as const, commit: commitOf(id) }
    ]
    const [first, late] = [blind(), process()]
    for (const { archive } of [first, late]) await archive.refresh()
    const begun = seqOf(await first.log.append(group(last, "b")))
    // Only beside the actor's own, and not without the flag.
    const alone = { subject: other, expected: 0, commit: commitOf("c") }
    expect(await first.log.append([{ ...alone, drawn: true }])).toEqual({ ok: false, reason: "unasked" })
    expect(await first.log.append([{ subject: own, expected: begun, commit: commitOf("c") }, alone])).toEqual({
      ok: false,
      reason: "unasked"
    })
    await process().run()
    expect([await hotCount(own), await hotCount(fresh)]).toEqual([0, 0])
    // One that stood still, or whose first try came through after all.
    expect(await late.log.append(group(last, "b"))).toEqual({ ok: false, reason: "conflict" })
    expect(await process().log.append(group(last, "b"))).toEqual({ ok: false, reason: "conflict" })
    expect(idsIn(await historyOf(process().log, fresh))).toEqual(["b"])
  })

  test("finds a claim on a text in the log to its end, although it is archived", async () => {
    const text = subjects.event("text", `t${++names}`)
    const [before, after] = [subject(), subject()]
    await written(process().log, before, ["a"])
    seqOf(await process().log.append([{ subject: text, expected: 0, commit: commitOf("a"), keepSeconds: 3 }]))
    await written(process().log, after, ["a"])
    const through = (await process().run())?.through ?? 0
    expect([await hotCount(before), await hotCount(text), await hotCount(after)]).toEqual([0, 1, 0])
    const blind = process({ find: ended })
    const again = [{ subject: text, expected: 0, commit: commitOf("b"), keepSeconds: 3 }]
    expect(await blind.log.append(again)).toEqual({ ok: false, reason: "conflict" })
    await expect.poll(() => hotCount(text)).toBe(0)
    expect((await blind.log.append(again)).ok).toBe(true)
    await process().run()
    expect((await bus.manager.streams.info(streams.events)).state.first_seq).toBeGreaterThan(through)
    for (const one of [before, after]) expect(idsIn(await historyOf(process().log, one))).toEqual(["a"])
  })

  test("of a group that is larger than a batch may be ends", async () => {
    const { log } = process()
    const group = Array.from({ length: 1000 }, () => ({ subject: subject(), expected: 0, commit: commitOf("a") }))
    const after = subject()
    const [large] = await Promise.all([log.append(group), written(log, after, ["a"])])
    expect(large.ok).toBe(false)
    expect(idsIn(await historyOf(log, after))).toEqual(["a"])
  })
})

describe("a reader of all", () => {
  test("does not go over to the log where the index ends before the archive does", async () => {
    const { log, run, index } = process()
    await written(log, subject(), ["a"])
    await run()
    await emptied(index)
    const read = () => Effect.runPromise(Stream.runCollect(archivedPages(process().archive, 0, 100)))
    await expect(read()).rejects.toThrow(/lacks/)
    await run()
    expect((await read()).length).toBeGreaterThan(0)
  })

  test("is not led over a segment that the index lacks", async () => {
    const { log, run } = process()
    const { last_seq: from } = (await bus.manager.streams.info(streams.events)).state
    for (let round = 0; round < 3; round++) {
      await written(log, subject(), ["a"])
      await run()
    }
    const [, middle] = await process().index.segmentsAfter(from)
    await db.deleteFrom("archive_segments").where("last", "=", String(middle?.last)).execute()
    await expect(Effect.runPromise(Stream.runCollect(archivedPages(process().archive, from, 100)))).rejects.toThrow(
      /lacks/
    )
    await db
      .insertInto("archive_segments")
      .values({ first: String(middle?.first), last: String(middle?.last), sha256: middle?.sha256 ?? "", numbers: "{}" })
      .execute()
    expect(
      (await Effect.runPromise(Stream.runCollect(archivedPages(process().archive, from, 100)))).length
    ).toBeGreaterThan(0)
  })
})

describe("a segment", () => {
  const archived = (seq: number): Archived => ({
    seq,
    subject: subjects.event("test", `g${seq % 50}`),
    at: 1,
    previous: seq > 50 ? seq - 50 : 0,
    expires: null,
    traceparent: null,
    data: Buffer.from(JSON.stringify(commitOf(String(seq))))
  })
  const sealed = async () => {
    const writer = new SegmentWriter()
    for (let seq = 1; seq <= 3000; seq++) await writer.add(archived(seq))
    return (await writer.end(1, 3000, null)).object
  }
  const objectOf = (bytes: Buffer) => ({
    bytes: bytes.length,
    read: (offset: number, count: number) => Promise.resolve(bytes.subarray(offset, offset + count))
  })

  test("that is damaged anywhere is noticed by who reads what is there", async () => {
    const object = await sealed()
    const { footer, blockCount } = await Segment.open(objectOf(object), NO_PARTS)
    expect(blockCount).toBeGreaterThan(1)
    const readAll = async (bytes: Buffer) => {
      const segment = await Segment.open(objectOf(bytes), NO_PARTS)
      const found: Array<number> = []
      for (let one = 0; one < 50; one++) found.push(...(await segment.blocksOf(subjects.event("test", `g${one}`))))
      for (let block = 0; block < segment.blockCount; block++) await segment.block(block)
      return found.length
    }
    expect(await readAll(object)).toBe(50 * blockCount)
    // Bytes of every part, from the blocks to the trailer.
    const places = [10, footer.index.offset + 7, footer.index.offset + 1028 + 3, footer.index.offset + 1028 + 5]
    for (let at = footer.index.offset + footer.index.bytes; at < object.length; at += 3) places.push(at)
    for (const at of places) {
      const damaged = Buffer.from(object)
      damaged[at] = (damaged[at] ?? 0) ^ 1
      await expect(readAll(damaged), `byte ${at} of ${object.length}`).rejects.toThrow()
    }
  })

  test("whose index could not be read once is read the next time", async () => {
    const object = objectOf(await sealed())
    let fails = false
    const read = (offset: number, bytes: number) => (fails ? ended() : object.read(offset, bytes))
    const segment = await Segment.open({ ...object, read }, NO_PARTS)
    fails = true
    await expect(segment.blocksOf(subjects.event("test", "g1"))).rejects.toThrow("ended")
    fails = false
    expect((await segment.blocksOf(subjects.event("test", "g1"))).length).toBeGreaterThan(0)
  })
})

test("a durable consumer whose server lags behind the log's leader has not done what it was not given", () => {
  const at = (pending: number, floor: number, delivered: number) => ({
    num_ack_pending: pending,
    ack_floor: { stream_seq: floor },
    delivered: { stream_seq: delivered }
  })
  expect(doneBy(at(0, 40, 40), { seq: 50 })).toBe(40)
  expect(doneBy(at(2, 30, 50), { seq: 50 })).toBe(30)
  expect(doneBy(at(0, 50, 50), { seq: 50 })).toBeGreaterThan(1e15)
  expect(doneBy(at(0, 0, 0), null)).toBeGreaterThan(1e15)
})
