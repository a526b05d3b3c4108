/** The mode that asks the hub about one request at a time. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { BOUNDS } from "../../edge/sdk/verify.ts"
import { waitFor } from "../harness/wait.ts"
import { agent, closeHub, hub, openHub } from "./verify-each.ts"
import { HOST } from "./verify-hub.ts"
import { NOBODY } from "../support/proof.ts"

beforeEach(openHub)
afterEach(closeHub)

describe("mode online", () => {
  const verdict = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
    ok: true,
    data: {
      valid: true,
      reason: null,
      scheme: "hub-id",
      id: agent.id,
      handle: agent.handle,
      name: "Agent 1",
      trust: 10,
      reputation: 0,
      status: "active",
      moderation: null,
      profile_url: "https://hub.example/agents/agent-1",
      id_url: "https://hub.example/id/HX-000001",
      ...more
    }
  })
  const refusal = (reason: string, more: Record<string, unknown> = {}): unknown =>
    verdict({ valid: false, reason, message: "by the hub", ...more })

  it("asks the hub with the website's own host and the headers of the proof alone", async () => {
    hub.answer = (_asked, response) => hub.sendJson(response, verdict())
    const request = agent.request()
    const { ok: _, ...expected } = verdict()
    const checked = await hub
      .verifier({ mode: "online" })
      .check({ ...request, headers: { ...request.headers, Cookie: "secret", Host: "evil.example", "User-Agent": "x" } })
    expect(checked).toEqual(expected["data"])
    const [asked] = hub.asked
    expect(asked).toMatchObject({ method: "POST", url: "/api/v1/id/verify" })
    const { "Hub-Id": id, "Hub-Timestamp": timestamp, "Hub-Nonce": nonce, "Hub-Signature": signature } = request.headers
    expect(JSON.parse(asked?.body ?? "")).toEqual({
      method: "GET",
      host: HOST,
      path: request.path,
      headers: {
        "hub-id": id,
        "hub-timestamp": timestamp,
        "hub-nonce": nonce,
        "hub-signature": signature,
        "user-agent": "x"
      }
    })
  })

  it("asks for each host until one fits", async () => {
    hub.answer = (asked, response) =>
      hub.sendJson(
        response,
        (JSON.parse(asked.body) as { host: string }).host === "b.example" ? verdict() : refusal("bad_signature")
      )
    const verifier = hub.verifier({ mode: "online", hosts: ["a.example", "b.example", "c.example"] })
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
    expect(hub.asked).toHaveLength(2)
    hub.answer = (_asked, response) => hub.sendJson(response, refusal("replayed"))
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "replayed", id: agent.id })
    expect(hub.asked).toHaveLength(3)
  })

  it("asks nothing about a request that claims nothing, and does about a Web Bot Auth signature", async () => {
    hub.answer = (_asked, response) => hub.sendJson(response, verdict({ scheme: "web-bot-auth" }))
    const verifier = hub.verifier({ mode: "online" })
    expect(await verifier.check({ method: "GET", path: "/", headers: { "user-agent": "Mozilla/5.0" } })).toMatchObject({
      reason: "headers_missing"
    })
    expect(hub.asked).toHaveLength(0)
    const headers = {
      Signature: "sig=:AA==:",
      "Signature-Input": 'sig=("@authority")',
      "Signature-Agent": '"https://hub.example"'
    }
    expect(await verifier.check({ method: "GET", path: "/", headers })).toMatchObject({
      valid: true,
      scheme: "web-bot-auth"
    })
    expect(JSON.parse(hub.asked[0]?.body ?? "")).toMatchObject({ headers: { signature: "sig=:AA==:" } })
  })

  it.each<readonly [string, () => unknown]>([
    ["no envelope", () => verdict()["data"]],
    ["valid in words", () => verdict({ valid: "true" })],
    ["valid with a reason", () => verdict({ reason: "replayed" })],
    ["valid without an agent", () => verdict({ id: null })],
    ["valid without a handle", () => verdict({ handle: null })],
    ["valid and flagged", () => verdict({ status: "flagged", moderation: "banned" })],
    ["an unknown reason", () => refusal("because")],
    ["no reason", () => verdict({ valid: false })],
    ["a number that is none", () => refusal("bad_signature", { id: "HX-1" })],
    ["an address of a script", () => refusal("bad_signature", { id_url: "javascript:alert(1)" })],
    ["more bytes than the bound", () => verdict({ padding: "p".repeat(BOUNDS.verdictBytes) })],
    ["no JSON", () => "valid"]
  ])("takes no verdict with %s", async (_name, body) => {
    hub.answer = (_asked, response) => hub.sendJson(response, body())
    expect(await hub.verifier({ mode: "online" }).check(agent.request())).toMatchObject({
      reason: "hub_unreachable",
      valid: false,
      ...NOBODY
    })
  })

  it("a hub that fails, redirects, hangs or refuses the question is unreachable", async () => {
    const verifier = hub.verifier({ mode: "online", waitMs: 100 })
    for (const status of [302, 404, 422, 500]) {
      hub.answer = (_asked, response) => hub.sendJson(response, verdict(), { location: "/api/v1/id/verify" }, status)
      expect(await verifier.check(agent.request())).toMatchObject({ reason: "hub_unreachable" })
    }
    hub.answer = () => undefined
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "hub_unreachable" })
    expect(hub.asked).toHaveLength(5)
  })

  it("keeps away as long as a 429 says", async () => {
    hub.answer = (_asked, response) => hub.sendJson(response, { ok: false }, { "retry-after": "7" }, 429)
    const verifier = hub.verifier({ mode: "online" })
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "hub_unreachable" })
    hub.answer = (_asked, response) => hub.sendJson(response, verdict())
    hub.clock.pass(6)
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "hub_unreachable" })
    expect(hub.asked).toHaveLength(1)
    hub.clock.pass(1)
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
  })

  it("asks nothing once it is closed", async () => {
    const verifier = hub.verifier({ mode: "online" })
    hub.answer = () => undefined
    const pending = verifier.check(agent.request())
    await waitFor(() => hub.asked.length === 1)
    verifier.close()
    expect(await pending).toMatchObject({ reason: "hub_unreachable" })
    expect(await verifier.check(agent.request())).toMatchObject({ reason: "hub_unreachable" })
    await verifier.settled()
    expect(hub.asked).toHaveLength(1)
  })
})
