/** How the verifier keeps its directory: when it asks, and by whose clock. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { ServerResponse } from "node:http"
import { BOUNDS } from "../../edge/sdk/verify.ts"
import { waitFor } from "../harness/wait.ts"
import { agent, closeHub, hub, openHub } from "./verify-each.ts"
import { newKey } from "./verify-hub.ts"

beforeEach(openHub)
afterEach(closeHub)
const unavailable = (response: ServerResponse): void => hub.sendJson(response, { ok: false }, {}, 503)

describe("when the directory is asked for", () => {
  it("not before the first check, once for all that come together, not again within four minutes", async () => {
    const verifier = hub.verifier()
    expect(hub.directoryReads).toBe(0)
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => verifier.check(agent.request())))
    expect(verdicts.every(({ valid }) => valid)).toBe(true)
    expect(hub.directoryReads).toBe(1)
    hub.clock.pass(BOUNDS.renewAheadSeconds - 1)
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
    await verifier.settled()
    expect(hub.directoryReads).toBe(1)
  })

  it("not at all for requests that claim nothing", async () => {
    const verifier = hub.verifier()
    await verifier.check({ method: "GET", path: "/", headers: { "user-agent": "Mozilla/5.0" } })
    await verifier.check({ method: "GET", path: "/", headers: { "hub-id": agent.id } })
    await verifier.settled()
    expect(hub.directoryReads).toBe(0)
  })

  it("beside the checks after four minutes, so that none waits", async () => {
    const verifier = hub.verifier()
    await verifier.ready()
    hub.clock.pass(BOUNDS.renewAheadSeconds)
    const held: Array<() => void> = []
    hub.answer = (asked, response) => void held.push(() => hub.honest(asked, response))
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
    await waitFor(() => held.length === 1)
    held[0]?.()
    await verifier.settled()
    expect(verifier.state().age_seconds).toBe(0)
    expect(hub.directoryReads).toBe(2)
  })

  it("before the check after five minutes: a suspension in between is seen", async () => {
    const verifier = hub.verifier()
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
    agent.standing = "suspended"
    hub.clock.pass(60)
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
    hub.clock.pass(240)
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "agent_suspended", signature_ok: true })
  })

  it("after a signature that does not hold, once a minute at most: a rotation in between is seen", async () => {
    const verifier = hub.verifier()
    await verifier.ready()
    const old = agent.key
    agent.rotate()
    // Too early for another attempt.
    hub.clock.pass(59)
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "bad_signature" })
    expect(await verifier.check(agent.request({ key: old }))).toMatchObject({ valid: true })
    expect(hub.directoryReads).toBe(1)
    hub.clock.pass(1)
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
    expect(await verifier.check(agent.request({ key: old }))).toMatchObject({ reason: "key_retired" })
    for (let time = 0; time < 100; time++) await verifier.check(agent.request({ key: newKey() }))
    expect(hub.directoryReads).toBe(2)
    hub.clock.pass(60)
    await Promise.all(Array.from({ length: 100 }, () => verifier.check(agent.request({ key: newKey() }))))
    expect(hub.directoryReads).toBe(3)
  })

  it("after a number above max_number, once a minute at most, and not for a gap below it", async () => {
    const later = hub.agent("active", 40)
    const verifier = hub.verifier()
    await verifier.ready()
    hub.clock.pass(60)
    const gap = { ...later.request(), headers: { ...later.request().headers, "Hub-Id": "HX-000039" } }
    expect(await verifier.check(gap)).toMatchObject({ reason: "id_unknown" })
    expect(hub.directoryReads).toBe(1)
    const fresh = hub.agent("active", 41)
    expect(await verifier.check(fresh.request())).toMatchObject({ valid: true, id: "HX-000041" })
    expect(hub.directoryReads).toBe(2)
    for (let time = 0; time < 50; time++) {
      const nobody = { ...fresh.request(), headers: { ...fresh.request().headers, "Hub-Id": "HX-000042" } }
      expect(await verifier.check(nobody)).toMatchObject({ reason: "id_unknown" })
    }
    expect(hub.directoryReads).toBe(2)
  })

  it("attempts are counted, not answers", async () => {
    hub.answer = (_asked, response) => unavailable(response)
    const verifier = hub.verifier()
    for (let second = 0; second < 59; second++) {
      expect(await verifier.check(agent.request())).toMatchObject({ reason: "hub_unreachable" })
      hub.clock.pass(1)
    }
    expect(hub.directoryReads).toBe(1)
    hub.clock.pass(1)
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "hub_unreachable" })
    expect(hub.directoryReads).toBe(2)
    hub.answer = null
    hub.clock.pass(60)
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
  })

  it("a clock that is set back does not stop it", async () => {
    const verifier = hub.verifier()
    await verifier.ready()
    hub.clock.pass(-86_400)
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
    expect(hub.directoryReads).toBe(2)
    expect(verifier.state().age_seconds).toBe(0)
  })
})

describe("ETag, 304 and Retry-After", () => {
  it("a 304 confirms what is held", async () => {
    const verifier = hub.verifier()
    await verifier.ready()
    const generated = verifier.state().generated_at
    hub.clock.pass(300)
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
    expect(hub.asked[1]?.headers["if-none-match"]).toMatch(/^"[0-9a-f]{16}"$/)
    expect(verifier.state()).toMatchObject({ generated_at: generated, age_seconds: 0, agents: 1 })
    hub.agent()
    hub.clock.pass(300)
    await verifier.ready()
    expect(verifier.state()).toMatchObject({ agents: 2, age_seconds: 0 })
  })

  it("a 304 to the first question is no answer", async () => {
    hub.answer = (_asked, response) => hub.sendJson(response, "", {}, 304)
    const verifier = hub.verifier()
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "hub_unreachable" })
    expect(hub.asked[0]?.headers).not.toHaveProperty("if-none-match")
  })

  it("an ETag of more than 256 characters is not sent back", async () => {
    hub.answer = (_asked, response) => hub.sendJson(response, hub.directory(), { etag: `"${"e".repeat(300)}"` })
    const verifier = hub.verifier()
    await verifier.ready()
    hub.clock.pass(300)
    await verifier.ready()
    expect(hub.asked).toHaveLength(2)
    expect(hub.asked[1]?.headers).not.toHaveProperty("if-none-match")
  })

  it.each([
    ["seconds", 429, (): string => "200", 200],
    ["a date", 503, (): string => new Date(hub.clock.ms + 150_000).toUTCString(), 150],
    ["a time beyond reason", 429, (): string => "999999999", BOUNDS.retryAfterMaxSeconds],
    ["nonsense", 429, (): string => "soon", 60],
    ["less than a minute", 429, (): string => "1", 60]
  ] as const)("Retry-After in %s is honoured", async (_name, status, retryAfter, seconds) => {
    hub.answer = (_asked, response) => hub.sendJson(response, { ok: false }, { "retry-after": retryAfter() }, status)
    const verifier = hub.verifier()
    await verifier.ready()
    hub.clock.pass(seconds - 1)
    await verifier.ready()
    expect(hub.directoryReads).toBe(1)
    hub.clock.pass(1)
    await verifier.ready()
    expect(hub.directoryReads).toBe(2)
  })
})

describe("the clock", () => {
  it("is the hub's: a website's clock that is six minutes off does no harm", async () => {
    for (const off of [-360, 360]) {
      const verifier = hub.verifier({ now: () => hub.clock.ms + off * 1000 })
      expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
      expect(Math.abs(verifier.state().clock_ahead_ms + off * 1000)).toBeLessThanOrEqual(1000)
      expect(await verifier.check(agent.request({ timestamp: String(hub.clock.seconds - 310) }))).toMatchObject({
        reason: "timestamp_expired"
      })
    }
  })

  it("is the website's own where that is asked for", async () => {
    const verifier = hub.verifier({ now: () => hub.clock.ms + 360_000, clock: "own" })
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "timestamp_expired" })
    expect(verifier.state().clock_ahead_ms).toBe(0)
  })

  it("is not changed by two seconds, by an answer out of a cache, or by nonsense", async () => {
    const headers = [{}, { age: "280" }, { age: "120" }, { "x-hub-server-time": "soon" }]
    for (const [index, ahead] of [1, -280, -120, 0].entries()) {
      hub.serverTimeAhead = ahead
      hub.answer = (_asked, response) =>
        hub.sendJson(response, hub.directory(), headers[index] as Record<string, string>)
      const verifier = hub.verifier()
      await verifier.ready()
      expect(verifier.state()).toMatchObject({ clock_ahead_ms: 0, agents: 1 })
    }
  })
})
