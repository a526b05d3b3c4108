/** The archive's objects that an actor's history and its activation read. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { NatsConnection } from "@nats-io/transport-node"
import { expect, test } from "vitest"
import type { ActorDefinition } from "../../../actors/engine/definition.ts"
import { History } from "../../../actors/engine/history.ts"
import type { Snapshot } from "../../../actors/engine/ports.ts"
import { Archive } from "../../../actors/log/archive/archive.ts"
import type { IndexTable } from "../../../actors/log/archive/index-table.ts"
import { objectName, type SegmentName, SegmentWriter } from "../../../actors/log/archive/segment.ts"
import type { LogEntry } from "../../../actors/log/commit.ts"
import { openDatabase } from "../../../actors/tables/database.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { subjects } from "../../../schemas/subjects.ts"
import { startBus } from "../engine/bus.ts"
import { commitOf, processOn, written } from "./processes.ts"

const SUBJECT = subjects.event("test", "long")
const OF_SEGMENT = 200

/** One actor of so many commits, with one of others between two of them. `linked`: each says what it follows. */
const archiveOf = async (commits: number, linked = true) => {
  const objects = new Map<string, Buffer>()
  const segments: Array<SegmentName> = []
  let [seq, previous, reads] = [0, 0, 0]
  while (previous < 2 * commits) {
    const [writer, first] = [new SegmentWriter(), seq + 1]
    for (let left = OF_SEGMENT; left > 0 && previous < 2 * commits; left--) {
      const line = { at: 1, expires: null, traceparent: null, data: Buffer.from(JSON.stringify(commitOf(`${seq}`))) }
      await writer.add({ ...line, seq: ++seq, subject: subjects.event("test", `other${seq}`), previous: 0 })
      await writer.add({ ...line, seq: ++seq, subject: SUBJECT, previous: linked ? previous : null })
      previous = seq
    }
    const { object, sha256 } = await writer.end(first, seq, segments.at(-1) ?? null)
    const name = { first, last: seq, sha256 }
    segments.push(name)
    objects.set(objectName(name), object)
  }
  const archive = new Archive({
    clock: machineClock,
    nats: {} as NatsConnection,
    objects: {
      place: "memory",
      put: () => Promise.reject(new Error("it is whole")),
      list: () => Promise.resolve([]),
      remove: () => Promise.reject(new Error("it is whole")),
      open: (name) => {
        const object = objects.get(name) ?? Buffer.alloc(0)
        const read = (offset: number, bytes: number) => {
          reads++
          return Promise.resolve(object.subarray(offset, offset + bytes))
        }
        return Promise.resolve({ bytes: object.length, read })
      }
    },
    index: {
      segmentsAfter: (last: number) => Promise.resolve(segments.filter((one) => one.last > last))
    } as unknown as IndexTable
  })
  archive.mark = { seq: seq + 1, segment: segments.at(-1) ?? null }
  return { archive, last: seq, reads: () => reads }
}

const wholeOf = async (archive: Archive, last: number) => {
  const found: Array<LogEntry> = []
  for (let [after, pages] = [0, 0]; after < last; pages++) {
    const page = await archive.history(SUBJECT, after, last)
    expect(page.length).toBeGreaterThan(0)
    found.push(...page)
    after = page.at(-1)?.seq ?? last
  }
  return found
}

test.each([true, false])("a history is read in pages, each commit about once (linked: %s)", async (linked) => {
  const took = async (commits: number): Promise<number> => {
    const { archive, last, reads } = await archiveOf(commits, linked)
    const found = await wholeOf(archive, last)
    expect(found.map(({ seq }) => seq)).toEqual(Array.from({ length: commits }, (_, index) => 2 * (index + 1)))
    return reads()
  }
  const [part, whole] = [await took(5000), await took(40_000)]
  // Eight times as many commits.
  expect(whole / part).toBeLessThan(10)
})

test("a page of a history is no longer than it must be", async () => {
  const { archive, last } = await archiveOf(20_000)
  expect((await archive.history(SUBJECT, 0, last)).length).toBeLessThan(2000)
  expect(await archive.history(SUBJECT, last - 2, last)).toHaveLength(1)
})

test("an archived actor with a snapshot comes into memory without a look into a segment", async () => {
  const bus = await startBus()
  const db = openDatabase(bus.servers.postgres.url)
  const folder = await mkdtemp(join(tmpdir(), "archive-"))
  try {
    const place = { nats: bus.nats, manager: bus.manager, db, folder }
    const writer = processOn(place)
    const seq = await written(writer.log, SUBJECT, ["a", "b", "c"])
    await writer.run()
    const kind: ActorDefinition = {
      kind: "test",
      initial: 0,
      events: { "test.written": 1 },
      evolve: (state) => Number(state) + 1,
      operations: {}
    }
    const activated = async (snapshot: Snapshot | null) => {
      const { log, archive } = processOn(place)
      let opened = 0
      const page = archive.last.bind(archive)
      archive.last = (subject) => {
        opened++
        return page(subject)
      }
      const snapshots = {
        load: () => Promise.resolve(snapshot),
        save: () => Promise.resolve(),
        drop: () => Promise.resolve()
      }
      const actor = new History(kind, "long", { log, snapshots, limits: LIMITS.service })
      await actor.load()
      expect([actor.seq, actor.state]).toEqual([seq, 3])
      return opened
    }
    expect(await activated({ seq, state: 3, commands: [{ id: "c", at: 1 }] })).toBe(0)
    // One that does not stand at the end is held against the log.
    expect(await activated({ seq: seq - 1, state: 2, commands: [{ id: "b", at: 1 }] })).toBe(1)
    expect(await activated({ seq: seq + 9, state: 7, commands: [] })).toBe(1)
    expect(await activated(null)).toBe(1)
  } finally {
    await rm(folder, { recursive: true })
    await db.destroy()
    await bus.stop()
  }
})
