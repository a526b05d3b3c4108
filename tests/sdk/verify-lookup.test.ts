/** The mode that asks the hub about one agent at a time. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { BOUNDS, type Verdict } from "../../edge/sdk/verify.ts"
import { agent, closeHub, hub, openHub } from "./verify-each.ts"
import { newKey, type TestAgent } from "./verify-hub.ts"
import { NOBODY } from "../support/proof.ts"

beforeEach(openHub)
afterEach(closeHub)

describe("mode lookup", () => {
  const lookups = (): number => hub.asked.length

  it("asks once for an agent in five minutes, and knows its name", async () => {
    const verifier = hub.verifier({ mode: "lookup" })
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => verifier.check(agent.request())))
    expect(verdicts.every(({ valid }) => valid)).toBe(true)
    expect(verdicts[0]).toMatchObject({ id: agent.id, name: "Agent 1", handle: agent.handle, status: "active" })
    hub.clock.pass(299)
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
    expect(hub.asked.map(({ url }) => url)).toEqual([`/api/v1/id/${agent.id}`])
    hub.clock.pass(1)
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
    expect(lookups()).toBe(2)
  })

  it("gives the reasons that the directory would", async () => {
    agent.rotate()
    const old = agent.keys[0]?.pair ?? newKey()
    const [suspended, banned, retired] = [hub.agent("suspended"), hub.agent("banned"), hub.agent("retired")]
    const verifier = hub.verifier({ mode: "lookup" })
    expect(await verifier.check(agent.request({ key: old }))).toMatchObject({ reason: "key_retired" })
    expect(await verifier.check(agent.request({ key: newKey() }))).toMatchObject({ reason: "bad_signature" })
    expect(await verifier.check(suspended.request())).toMatchObject({ reason: "agent_suspended", signature_ok: true })
    expect(await verifier.check(banned.request())).toMatchObject({ reason: "agent_banned", profile_url: null })
    expect(await verifier.check(retired.request())).toMatchObject({ reason: "agent_retired", status: "retired" })
    const once = agent.request()
    expect(await verifier.check(once)).toMatchObject({ valid: true })
    expect(await verifier.check(once)).toMatchObject({ reason: "replayed" })
    expect(
      await verifier.check({
        method: "GET",
        path: "/",
        headers: { "user-agent": `HubAgent/1 (${agent.id}; +https://hub.example)` }
      })
    ).toMatchObject({ reason: "announced_only", name: "Agent 1" })
  })

  it("asks again after a signature that does not hold, once a minute at most", async () => {
    const verifier = hub.verifier({ mode: "lookup" })
    await verifier.check(agent.request())
    agent.rotate()
    hub.clock.pass(59)
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "bad_signature" })
    hub.clock.pass(1)
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
    for (let time = 0; time < 20; time++) await verifier.check(agent.request({ key: newKey() }))
    expect(lookups()).toBe(2)
  })

  it("remembers for a minute that nobody has a number", async () => {
    const verifier = hub.verifier({ mode: "lookup" })
    const claim = agent.request()
    claim.headers["Hub-Id"] = "HX-000002"
    for (let time = 0; time < 5; time++)
      expect(await verifier.check(claim)).toMatchObject({ reason: "id_unknown", ...NOBODY })
    expect(lookups()).toBe(1)
    const second = hub.agent()
    hub.clock.pass(60)
    expect(await verifier.check(second.request())).toMatchObject({ valid: true })
  })

  it("makes no more than 30 lookups a minute", async () => {
    for (let index = 0; index < 40; index++) hub.agent()
    const verifier = hub.verifier({ mode: "lookup" })
    const reasons: Array<Verdict["reason"]> = []
    for (const one of hub.agents) reasons.push((await verifier.check(one.request())).reason)
    expect(reasons.filter((reason) => reason === null)).toHaveLength(BOUNDS.lookupsPerMinute)
    expect(reasons.slice(BOUNDS.lookupsPerMinute).every((reason) => reason === "lookup_limited")).toBe(true)
    expect(lookups()).toBe(BOUNDS.lookupsPerMinute)
    // What is known needs no lookup; an announcement is told without the agent's fields.
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
    const last = hub.agents.at(-1)
    expect(
      await verifier.check({
        method: "GET",
        path: "/",
        headers: { "user-agent": `HubAgent/1 (${last?.id}; +https://hub.example)` }
      })
    ).toMatchObject({ reason: "announced_only", ...NOBODY })
    hub.clock.pass(60)
    expect(await verifier.check(last?.request() ?? agent.request())).toMatchObject({ valid: true })
  })

  it("keeps no more records than its bound", async () => {
    const verifier = hub.verifier({ mode: "lookup" })
    const claims: Array<ReturnType<TestAgent["request"]>> = []
    for (let number = 100; number < 100 + BOUNDS.records; number++) {
      const claim = agent.request()
      claim.headers["Hub-Id"] = `HX-${String(number).padStart(6, "0")}`
      claims.push(claim)
    }
    const began = hub.clock.ms
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
    for (const [index, claim] of claims.entries()) {
      if (index % BOUNDS.lookupsPerMinute === 0) hub.clock.pass(61)
      expect(
        (await verifier.check({ ...claim, headers: { ...claim.headers, "Hub-Timestamp": String(hub.clock.seconds) } }))
          .reason
      ).toBe("id_unknown")
    }
    // By the clock the first record would still do, and nothing of the time that was set back stands in the way.
    hub.clock.ms = began + 10_000
    const before = lookups()
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
    expect(lookups()).toBe(before + 1)
  })

  it("keeps to the hub's own limit", async () => {
    hub.answer = (_asked, response) => hub.sendJson(response, { ok: false }, { "retry-after": "30" }, 429)
    const verifier = hub.verifier({ mode: "lookup" })
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "lookup_limited" })
    hub.answer = null
    hub.clock.pass(29)
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "lookup_limited" })
    expect(lookups()).toBe(1)
    hub.clock.pass(1)
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
  })

  it.each<readonly [string, (record: Record<string, unknown>) => unknown]>([
    ["no envelope", (record) => record],
    ["an envelope that is not ok", (record) => ({ ok: false, data: record })],
    ["a list", () => ({ ok: true, data: [] })],
    ["another agent", (record) => ({ ok: true, data: { ...record, id: "HX-000009" } })],
    ["an unknown status", (record) => ({ ok: true, data: { ...record, status: "king" } })],
    ["an unknown moderation", (record) => ({ ok: true, data: { ...record, moderation: 1 } })],
    ["a key that is none", (record) => ({ ok: true, data: { ...record, public_key: "AAAA" } })],
    ["no key", (record) => ({ ok: true, data: { ...record, public_key: null } })],
    ["keys that are none", (record) => ({ ok: true, data: { ...record, keys: {} } })],
    ["trust in words", (record) => ({ ok: true, data: { ...record, trust: "high" } })],
    ["an address of a script", (record) => ({ ok: true, data: { ...record, profile_url: "javascript:alert(1)" } })],
    ["a name without end", (record) => ({ ok: true, data: { ...record, name: "n".repeat(BOUNDS.nameChars + 1) } })],
    ["more bytes than the bound", (record) => ({ ok: true, data: record, padding: "p".repeat(BOUNDS.recordBytes) })],
    ["no JSON", () => "<html>"],
    ["nesting without end", () => "[".repeat(100_000)]
  ])("takes no record with %s", async (_name, body) => {
    hub.answer = (_asked, response) => hub.sendJson(response, body(agent.record(hub.base)))
    const verifier = hub.verifier({ mode: "lookup" })
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "hub_unreachable", ...NOBODY })
    hub.answer = null
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
  })

  it("follows no redirect, waits a bounded time, and asks nothing once it is closed", async () => {
    hub.answer = (_asked, response) => void response.writeHead(302, { location: "/api/v1/id/HX-000001" }).end()
    const verifier = hub.verifier({ mode: "lookup", waitMs: 100 })
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "hub_unreachable" })
    hub.answer = () => undefined
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "hub_unreachable" })
    verifier.close()
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "hub_unreachable" })
    await verifier.settled()
    expect(lookups()).toBe(2)
  })
})
