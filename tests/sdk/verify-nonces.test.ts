/** The memory of nonces: for how long, how many, for whom; what happens when it is full, shared, or the clock jumps. */
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { BOUNDS, type NonceStore } from "../../edge/sdk/verify.ts"
import { agent, closeHub, hub, openHub } from "./verify-each.ts"
import { newKey, type TestAgent } from "./verify-hub.ts"

beforeEach(openHub)
afterEach(closeHub)

const NONCE = "a-nonce-signed-twice"

describe("in this process", () => {
  it("a nonce is refused for ten minutes, signed anew or not, and free again a minute later", async () => {
    const verifier = hub.verifier()
    expect(await verifier.check(agent.request({ nonce: NONCE }))).toMatchObject({ valid: true })
    for (let second = 0; second < BOUNDS.nonceMemorySeconds; second += 50) {
      hub.clock.pass(50)
      expect(await verifier.check(agent.request({ nonce: NONCE }))).toMatchObject({ reason: "replayed" })
    }
    hub.clock.pass(60)
    expect(verifier.state().nonces).toBe(0)
    expect(await verifier.check(agent.request({ nonce: NONCE }))).toMatchObject({ valid: true })
  })

  it("no request passes twice as long as its timestamp could, to the second", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -300, max: 300 }),
        fc.array(fc.integer({ min: 1, max: 90 }), { maxLength: 20 }),
        async (away, steps) => {
          const verifier = hub.verifier()
          const request = agent.request({ timestamp: String(hub.clock.seconds + away) })
          expect(await verifier.check(request)).toMatchObject({ valid: true })
          for (const step of steps) {
            hub.clock.pass(step)
            expect(["replayed", "timestamp_expired"]).toContain((await verifier.check(request)).reason)
          }
        }
      ),
      { numRuns: 40 }
    )
  })

  it("holds many, and each of them", async () => {
    const verifier = hub.verifier()
    const requests = Array.from({ length: 3000 }, () => agent.request())
    for (const [index, request] of requests.entries()) {
      if (index % 500 === 0) hub.clock.pass(20)
      expect((await verifier.check({ ...request })).valid).toBe(true)
    }
    expect(verifier.state().nonces).toBe(3000)
    for (const request of requests) expect((await verifier.check(request)).reason).toBe("replayed")
  })

  it("one agent may fill an eighth of it, the others go on; when it is full nothing is valid, and nothing is forgotten", async () => {
    for (let index = 0; index < 20; index++) hub.agent()
    const verifier = hub.verifier({ maxNonces: 80 })
    const fill = async (one: TestAgent): Promise<number> => {
      for (let count = 0; ; count++) if (!(await verifier.check(one.request())).valid) return count
    }
    const first = agent.request({ nonce: NONCE })
    expect(await verifier.check(first)).toMatchObject({ valid: true })
    expect(await fill(agent)).toBe(9)
    expect(await verifier.check(agent.request())).toMatchObject({
      reason: "cache_unavailable",
      id: agent.id,
      handle: agent.handle
    })
    // Agents share a count with one in four thousand others.
    const counts: Array<number> = []
    for (const one of hub.agents.slice(1)) counts.push(await fill(one))
    expect(counts.reduce((sum, count) => sum + count, 10)).toBe(80)
    expect(counts[0]).toBe(10)
    const late = hub.agents.at(-1) ?? agent
    expect(await verifier.check(late.request())).toMatchObject({ reason: "cache_unavailable" })
    expect(await verifier.check(first)).toMatchObject({ reason: "replayed" })
    expect(await verifier.check(late.request({ key: newKey() }))).toMatchObject({ reason: "bad_signature" })
    hub.clock.pass(BOUNDS.nonceMemorySeconds + 60)
    expect(await verifier.check(late.request())).toMatchObject({ valid: true })
  })
})

describe("when the clock jumps", () => {
  it("ahead and back: what was used before the jump passes at no time after it", async () => {
    const verifier = hub.verifier({ clock: "own" })
    const before = agent.request({ timestamp: String(hub.clock.seconds + 200) })
    expect(await verifier.check(before)).toMatchObject({ valid: true })
    hub.clock.pass(86_400)
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
    hub.clock.pass(-86_400)
    for (let second = 0; second < 700; second += 20) {
      expect(["timestamp_expired", "replayed"]).toContain((await verifier.check(before)).reason)
      hub.clock.pass(20)
    }
    // And the website is not shut for the day that the clock was ahead.
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
  })

  it("back: what was used is remembered for ten minutes more", async () => {
    const verifier = hub.verifier({ clock: "own" })
    const used = agent.request()
    expect(await verifier.check(used)).toMatchObject({ valid: true })
    hub.clock.pass(-200)
    for (let second = 0; second < 500; second += 20) {
      expect(await verifier.check(used)).toMatchObject({ reason: "replayed" })
      hub.clock.pass(20)
    }
    hub.clock.pass(300)
    expect(verifier.state().nonces).toBe(0)
    expect(await verifier.check(used)).toMatchObject({ reason: "timestamp_expired" })
  })
})

describe("in a store that processes share", () => {
  const storeIn = (keys: Map<string, number>): NonceStore => ({
    add: (key, ttlSeconds) => {
      const known = keys.has(key)
      if (!known) keys.set(key, ttlSeconds)
      return Promise.resolve(!known)
    }
  })

  it("a nonce is used up for all of them", async () => {
    const keys = new Map<string, number>()
    const [one, other] = [hub.verifier({ store: storeIn(keys) }), hub.verifier({ store: storeIn(keys) })]
    const request = agent.request({ nonce: NONCE })
    expect(await one.check(request)).toMatchObject({ valid: true })
    expect(await other.check(request)).toMatchObject({ reason: "replayed" })
    expect([...keys]).toEqual([[`hub-nonce:${agent.id}:${NONCE}`, BOUNDS.nonceMemorySeconds]])
    expect(one.state().nonces).toBe(0)
  })

  it("only what is valid otherwise is asked of it", async () => {
    const keys = new Map<string, number>()
    const verifier = hub.verifier({ store: storeIn(keys) })
    const suspended = hub.agent("suspended")
    for (const request of [
      agent.request({ key: newKey() }),
      agent.request({ timestamp: "123456789" }),
      suspended.request()
    ]) {
      expect((await verifier.check(request)).valid).toBe(false)
    }
    expect(keys.size).toBe(0)
  })

  it.each<readonly [string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("no line to the store")
      }
    ],
    ["rejects", () => Promise.reject(new Error("no line to the store"))],
    ["hangs", () => new Promise(() => undefined)],
    ["answers something else", () => Promise.resolve("OK")],
    ["answers nothing", () => undefined]
  ])("that %s makes nothing valid", async (_name, add) => {
    const verifier = hub.verifier({ store: { add } as NonceStore, storeTimeoutMs: 50 })
    expect(await verifier.check(agent.request())).toMatchObject({
      valid: false,
      reason: "cache_unavailable",
      id: agent.id
    })
  })
})
