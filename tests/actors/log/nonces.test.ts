import fc from "fast-check"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { NonceLog } from "../../../actors/log/nonces.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { markOf, NonceTable } from "../../../actors/log/nonce-table.ts"
import { openScope } from "../../support/scope.ts"
import { type EngineBus, startBus } from "../engine/bus.ts"

const KEEP_SECONDS = 960
const HOME = { stream: streams.nonces, subject: subjects.nonce, keepSeconds: KEEP_SECONDS }
const MINUTE = 60_000

describe("the nonce table", () => {
  test("knows what it was given within its time, and who used it", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.string(), fc.string()), {
          minLength: 1,
          maxLength: 3000,
          selector: ([key, nonce]) => `${key}\n${nonce}`
        }),
        (uses) => {
          const table = new NonceTable(KEEP_SECONDS * 1000)
          const now = 1_000_000_000_000
          const marks = uses.map(([key, nonce], index) => markOf(key, nonce, `request ${index}`))
          for (const mark of marks) {
            expect(table.usedBy(mark)).toBeNull()
            table.add(mark, now)
          }
          for (const mark of marks) expect(table.usedBy(mark)).toBe(mark.request)
          expect(table.size).toBe(marks.length)
        }
      ),
      { numRuns: 20 }
    )
  })

  test("keeps a use for the whole time that it is refused, and forgets it a minute or two later", () => {
    const table = new NonceTable(KEEP_SECONDS * 1000)
    const start = 1_000_000_000_000
    const mark = markOf("key", "nonce", "request")
    table.add(mark, start)
    for (let minute = 1; minute <= KEEP_SECONDS / 60; minute++) {
      table.add(markOf("key", `other ${minute}`, "request"), start + minute * MINUTE)
      expect(table.usedBy(mark), `after ${minute} minutes`).toBe(mark.request)
    }
    table.add(markOf("key", "late", "request"), start + KEEP_SECONDS * 1000 + 3 * MINUTE)
    expect(table.usedBy(mark)).toBeNull()
  })

  test("the same nonce under two keys is two", () => {
    const table = new NonceTable(KEEP_SECONDS * 1000)
    table.add(markOf("key a", "nonce", "r"), 1_000_000_000_000)
    expect(table.usedBy(markOf("key b", "nonce", "r"))).toBeNull()
  })
})

describe("the nonce log", () => {
  const scope = openScope()
  let bus: EngineBus
  beforeAll(async () => {
    bus = await startBus()
  })
  afterAll(async () => {
    await scope.close()
    await bus.stop()
  })
  const logOf = async () => scope.make(NonceLog.make(await bus.connection(), HOME))

  const use = async (log: NonceLog, key: string, nonce: string, request: string) => {
    const used = log.use(key, nonce, request, Date.now())
    return used.use === "fresh" ? await used.recorded : "reused"
  }

  test("refuses a second request, but not the same request tried again", async () => {
    const log = await scope.make(NonceLog.make(bus.nats, HOME))
    await scope.make(log.follow)
    expect(await use(log, "k", "n1", "first")).toBe(true)
    expect(await use(log, "k", "n1", "first")).toBe(true)
    expect(await use(log, "k", "n1", "second")).toBe("reused")
  })

  test("says of each repeat of a request what it said of the first: that its use could not be recorded", async () => {
    const away = { ...HOME, subject: "hub.nonce.nowhere" }
    const log = await scope.make(NonceLog.make(bus.nats, away))
    const [first, again] = [use(log, "k0", "n0", "request"), use(log, "k0", "n0", "request")]
    expect(await first).toBe(false)
    const config = { name: "NOWHERE", subjects: [away.subject] }
    await bus.manager.streams.add(config)
    try {
      expect(await use(log, "k0", "n1", "another request")).toBe(true)
      expect([await again, await use(log, "k0", "n0", "request")]).toEqual([false, false])
    } finally {
      await bus.manager.streams.delete(config.name)
    }
  })

  test("a node that starts later, or takes over, refuses what another has recorded", async () => {
    const [owner, heir] = [await logOf(), await logOf()]
    await scope.make(owner.follow)
    await scope.make(heir.follow)
    const nonces = Array.from({ length: 500 }, (_, index) => `many-${index}`)
    expect(await Promise.all(nonces.map((nonce) => use(owner, "k2", nonce, `request-${nonce}`)))).not.toContain(false)
    await Effect.runPromise(heir.catchUp)
    for (const nonce of nonces) expect(await use(heir, "k2", nonce, "another"), nonce).toBe("reused")
    const late = await logOf()
    await scope.make(late.follow)
    for (const nonce of nonces) expect(await use(late, "k2", nonce, "another"), nonce).toBe("reused")
  })

  test("whoever catches up knows what was recorded before it asked, without a follower and beside others that ask", async () => {
    const [owner, heir] = [await logOf(), await logOf()]
    for (let round = 0; round < 20; round++) {
      const nonces = [`round-${round}-a`, `round-${round}-b`]
      const catching: Array<Promise<void>> = []
      for (const nonce of nonces) {
        catching.push(Effect.runPromise(heir.catchUp))
        expect(await use(owner, "k3", nonce, `request-${nonce}`)).toBe(true)
        catching.push(Effect.runPromise(heir.catchUp), Effect.runPromise(heir.catchUp))
      }
      await Promise.all(catching)
      for (const nonce of nonces) expect(await use(heir, "k3", nonce, "another"), nonce).toBe("reused")
    }
  })
})
