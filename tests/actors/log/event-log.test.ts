import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { JetStreamLog } from "../../../actors/log/event-log.ts"
import type { Commit } from "../../../actors/log/commit.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { subjects } from "../../../schemas/subjects.ts"
import { waitFor } from "../../harness/index.ts"
import { type OwnBus, startOwnBus } from "../engine/bus.ts"

let bus: OwnBus
let log: JetStreamLog
let names = 0

beforeAll(async () => {
  bus = await startOwnBus()
  log = new JetStreamLog(machineClock, bus.nats, { batchMax: 1000, queueMax: 100 })
})
afterAll(() => bus.stop())

const subject = () => subjects.event("test", `s${++names}`)
const commit = (id: string): Commit => ({ v: 1, id, op: "test.write", at: 1, events: [{ type: "test.written", v: 1 }] })

describe("the log", () => {
  test("an append with the right sequence is there to read, with a page's end told", async () => {
    const one = subject()
    const first = await log.append([{ subject: one, expected: 0, commit: commit("a") }])
    if (!first.ok) throw new Error(first.reason)
    await log.append([{ subject: one, expected: first.seqs[0] ?? 0, commit: commit("b") }])
    const page = await log.read(one, 0, 1)
    expect(page.entries.map((entry) => entry.commit.id)).toEqual(["a"])
    expect(page.more).toBe(true)
    const rest = await log.read(one, page.entries[0]?.seq ?? 0, 10)
    expect(rest.entries.map((entry) => entry.commit.id)).toEqual(["b"])
    expect(rest.more).toBe(false)
    expect(await log.lastSeq(one)).toBe(rest.entries[0]?.seq)
  })

  test("a group that does not hold when its turn comes is not written, and the others of its batch are", async () => {
    const [one, other] = [subject(), subject()]
    let turns = 0
    const results = await Promise.all([
      log.append([{ subject: one, expected: 0, commit: commit("a") }], () => ++turns < 1),
      log.append([{ subject: other, expected: 0, commit: commit("b") }], () => true)
    ])
    expect(results).toMatchObject([{ ok: false, reason: "lost" }, { ok: true }])
    expect([turns, await log.lastSeq(one)]).toEqual([1, 0])
    expect(await log.lastSeq(other)).toBeGreaterThan(0)
  })

  test("a subject that nobody wrote to is empty", async () => {
    const one = subject()
    expect(await log.read(one, 0, 10)).toEqual({ entries: [], more: false })
    expect(await log.lastSeq(one)).toBe(0)
  })

  test("the newest commit is told with the one before it, alone, in a batch and in a group", async () => {
    const several = new JetStreamLog(machineClock, bus.nats, { batchMax: 1000, queueMax: 100, replicated: true })
    const [one, other, absent] = [subject(), subject(), subject()]
    const text = "Zoë \u2028 😀"
    const first = await log.append([{ subject: one, expected: 0, commit: { ...commit("a"), op: text } }])
    if (!first.ok) throw new Error(first.reason)
    const [begun = 0] = first.seqs
    for (const each of [log, several])
      expect(await each.last(one)).toEqual({ seq: begun, commit: { ...commit("a"), op: text }, previous: 0 })
    const results = await Promise.all([
      log.append([
        { subject: one, expected: begun, commit: commit("b") },
        { subject: other, expected: 0, commit: commit("b") }
      ]),
      log.append([{ subject: subject(), expected: 0, commit: commit("c") }])
    ])
    const [joint] = results
    if (!joint.ok) throw new Error(joint.reason)
    for (const each of [log, several]) {
      expect(await each.last(one)).toEqual({ seq: joint.seqs[0], commit: commit("b"), previous: begun })
      expect(await each.last(other)).toEqual({ seq: joint.seqs[1], commit: commit("b"), previous: 0 })
      expect(await each.last(absent)).toBeNull()
      const { entries } = await each.read(one, 0, 10)
      expect(entries.map(({ seq, previous }) => [seq, previous])).toEqual([
        [begun, 0],
        [joint.seqs[0], begun]
      ])
    }
  })

  test("the commits of one command are found by the first of them, and no other's", async () => {
    const group = [subject(), subjects.event("other", `s${++names}`), subject()]
    const results = await Promise.all([
      log.append([{ subject: subject(), expected: 0, commit: commit("before") }]),
      log.append(group.map((one) => ({ subject: one, expected: 0, commit: commit("d") }))),
      log.append([subject(), subject()].map((one) => ({ subject: one, expected: 0, commit: commit("after") })))
    ])
    const seqs = results[1].ok ? results[1].seqs : []
    const [first = ""] = group
    const written = group.map((one, index) => {
      const [, , kind, id] = one.split(".")
      return { kind, id, seq: seqs[index] }
    })
    await log.append([{ subject: first, expected: seqs[0] ?? 0, commit: commit("later") }])
    expect(await log.commitsOf("d", first, Date.now() - 5000)).toEqual(written)
    expect(await log.commitsOf("later", first, Date.now() - 5000)).toHaveLength(1)
    expect(await log.commitsOf("after", first, Date.now() - 5000)).toEqual([])
    expect(await log.commitsOf("d", first, Date.now() + 3_600_000)).toEqual([])
  })

  test("one stale append in a batch is refused alone: its neighbours are written", async () => {
    const [stale, ...fresh] = [subject(), subject(), subject(), subject()]
    await log.append([{ subject: stale ?? "", expected: 0, commit: commit("before") }])
    const results = await Promise.all(
      [stale ?? "", ...fresh].map((one, index) =>
        log.append([{ subject: one, expected: 0, commit: commit(`n${index}`) }])
      )
    )
    expect(results.map((result) => result.ok)).toEqual([false, true, true, true])
    expect(results[0]).toEqual({ ok: false, reason: "conflict" })
    expect((await log.read(stale ?? "", 0, 10)).entries).toHaveLength(1)
  })

  test.each([
    ["one", [317]],
    ["some", [0, 1, 250, 498, 499]]
  ])("%s stale of five hundred cost the others a few batches", async (_what, stale) => {
    let batches = 0
    const own = new JetStreamLog(machineClock, bus.nats, { batchMax: 1000, queueMax: 1000 }, { batch: () => batches++ })
    const all = Array.from({ length: 500 }, subject)
    for (const index of stale)
      await log.append([{ subject: all[index] ?? "", expected: 0, commit: commit(`before ${index}`) }])
    const results = await Promise.all(
      all.map((one, index) => own.append([{ subject: one, expected: 0, commit: commit(`n${index}`) }]))
    )
    expect(results.flatMap((result, index) => (result.ok ? [] : [index]))).toEqual(stale)
    expect(batches).toBeLessThanOrEqual(1 + 2 * Math.ceil(Math.log2(500)) * stale.length)
  })

  test("what a group has beside its own subject refuses no commit of one subject", async () => {
    const sizes: Array<readonly [number, string]> = []
    const observer = { batch: (commits: number, outcome: string) => sizes.push([commits, outcome]) }
    const own = new JetStreamLog(machineClock, bus.nats, { batchMax: 1000, queueMax: 100 }, observer)
    const [hot, ...others] = [subject(), subject(), subject(), subject()]
    await log.append([{ subject: hot ?? "", expected: 0, commit: commit("before") }])
    const append = (one: string) => ({ subject: one, expected: 0, commit: commit(one) })
    const joint = own.append([append(hot ?? ""), append(subject())])
    const results = await Promise.all([joint, ...others.map((one) => own.append([append(one)]))])
    expect(results.map(({ ok }) => ok)).toEqual([false, true, true, true])
    expect(sizes.toSorted()).toEqual([
      [2, "refused"],
      [3, "written"]
    ])
  })

  test("a group is written whole or not at all", async () => {
    const [first, second, third] = [subject(), subject(), subject()]
    await log.append([{ subject: second, expected: 0, commit: commit("taken") }])
    const result = await log.append(
      [first, second, third].map((one) => ({ subject: one, expected: 0, commit: commit("group") }))
    )
    expect(result).toEqual({ ok: false, reason: "conflict" })
    expect(await log.lastSeq(first)).toBe(0)
    expect(await log.lastSeq(third)).toBe(0)
    const whole = await log.append(
      [first, third].map((one) => ({ subject: one, expected: 0, commit: commit("group") }))
    )
    expect(whole.ok && whole.seqs).toEqual([await log.lastSeq(first), await log.lastSeq(third)])
  })

  test("two writers on one sequence: exactly one wins", async () => {
    const other = new JetStreamLog(machineClock, await bus.connection(), { batchMax: 1000, queueMax: 100 })
    for (let round = 0; round < 20; round++) {
      const one = subject()
      const results = await Promise.all(
        [log, other].map((writer, index) => writer.append([{ subject: one, expected: 0, commit: commit(`w${index}`) }]))
      )
      expect(results.filter((result) => result.ok)).toHaveLength(1)
    }
  })

  test("a full queue refuses at once and writes nothing of the refused", async () => {
    const small = new JetStreamLog(machineClock, bus.nats, { batchMax: 1000, queueMax: 2 })
    const targets = [subject(), subject(), subject()]
    const results = await Promise.all(
      targets.map((one) => small.append([{ subject: one, expected: 0, commit: commit("q") }]))
    )
    expect(results[2]).toEqual({ ok: false, reason: "overloaded" })
    expect(await log.lastSeq(targets[2] ?? "")).toBe(0)
  })

  test("a commit that is kept for a time is gone after it, its neighbours in the batch are not, and its subject begins again", async () => {
    const [brief, other] = [subject(), subject()]
    const results = await Promise.all([
      log.append([
        { subject: brief, expected: 0, commit: commit("gone"), keepSeconds: 1 },
        { subject: other, expected: 0, commit: commit("kept") }
      ]),
      log.append([{ subject: subject(), expected: 0, commit: commit("beside") }])
    ])
    expect(results.map(({ ok }) => ok)).toEqual([true, true])
    expect((await log.read(brief, 0, 10)).entries.map((entry) => entry.commit.id)).toEqual(["gone"])
    await waitFor(async () => (await log.lastSeq(brief)) === 0, { describe: "the commit to be forgotten" })
    expect((await log.append([{ subject: brief, expected: 0, commit: commit("anew") }])).ok).toBe(true)
    expect((await log.read(other, 0, 10)).entries).toHaveLength(1)
  })

  test("what was acknowledged outlives a SIGKILL of the server; what was not is said to be unknown", async () => {
    const one = subject()
    const kept = await log.append([{ subject: one, expected: 0, commit: commit("kept") }])
    if (!kept.ok) throw new Error(kept.reason)
    await bus.servers.nats.kill()
    const lost = await log.append([{ subject: one, expected: kept.seqs[0] ?? 0, commit: commit("lost") }])
    expect(lost).toEqual({ ok: false, reason: "unknown" })
    await bus.servers.nats.restart()
    const ids = await waitFor(
      async () => {
        const page = await log.read(one, 0, 10)
        return page.entries.map((entry) => entry.commit.id)
      },
      { describe: "the log to be read after the restart" }
    )
    expect(ids[0]).toBe("kept")
  })
})
