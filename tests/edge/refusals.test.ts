/** The refusals that an edge remembers: who was refused what, where; within bounds, and without what was sent. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { BURST, KEPT_MS, PER_SECOND, Refusals, REMEMBERED_MAX } from "../../edge/http/refusals.ts"
import { wordIn } from "../../edge/http/words.ts"
import type { Call } from "../../edge/http/call.ts"
import type { RefusedAnswer } from "../../schemas/bus/refused.ts"
import { subjects } from "../../schemas/subjects.ts"
import type { Refusal } from "../../schemas/errors.ts"
import { connectTo, standingClock } from "../harness/index.ts"
import { closeNode, node, openNode, start, stopEdge } from "./limited.ts"
import { rememberedBy } from "../../ops/explain/refused.ts"
import { type Answered, TestEdge } from "./edge.ts"
import { newIdentity } from "./signer.ts"

beforeAll(openNode)
afterAll(closeNode)
afterEach(stopEdge)

/** As an operator asks. */
const remembered = async ({ nats }: TestEdge, id: string): Promise<RefusedAnswer> => {
  const connection = await connectTo(nats)
  try {
    return (await connection.request(subjects.refused, id, { timeout: 60_000 })).json<RefusedAnswer>()
  } finally {
    await connection.close()
  }
}
const idOf = ({ headers }: Answered): string => headers.get("x-request-id") ?? ""

describe("an edge", () => {
  it("remembers who was refused what, and by whom", async () => {
    const edge = await start({})
    const agent = newIdentity()
    node.on("agent.update", () => ({ head: { refused: { code: "agent_suspended", message: "no" }, by: "gate" } }))
    node.on("agent.me", () => ({
      head: { refused: { code: "rate_limited", message: "no", details: { bucket: "write", limit: 1 } } }
    }))
    node.onQuery("categories", () => ({ ok: false, refused: { code: "unavailable", message: "no tables" } }))
    const signed = { signed: agent }
    const cases = [
      [await edge.call("/api/v1/me"), { status: 401, by: "edge", asked: null, key: null, route: "/api/v1/me" }],
      [
        await edge.call("/api/v1/me", { ...signed, method: "PATCH", body: '{"name":7}', headers: JSON_TYPE }),
        { status: 422, by: "edge", field: "name", key: agent.hubId, agent: agent.hubId, method: "PATCH" }
      ],
      [
        await edge.call("/api/v1/me", { ...signed, method: "PATCH", body: '{"name":"A"}', headers: JSON_TYPE }),
        { status: 403, code: "agent_suspended", by: "gate", asked: "agent.update", key: agent.hubId }
      ],
      [await edge.call("/api/v1/me", signed), { status: 429, by: "actor", asked: "agent.me", bucket: "write" }],
      [await edge.call("/api/v1/categories"), { status: 503, by: "query", asked: "categories" }],
      [await edge.call("/api/v1/nothing/here"), { status: 404, by: "edge", route: "/api/v1/…" }]
    ] as const
    for (const [answered, expected] of cases) {
      const { found } = await remembered(edge, idOf(answered))
      expect(found).toMatchObject({ ...expected, id: idOf(answered), client: expect.stringMatching(/^[0-9a-f]{16}$/) })
    }
    const well = await edge.call("/api/v1/time")
    expect([well.status, (await remembered(edge, idOf(well))).found]).toEqual([200, null])
  })

  it("says so where nobody answered it", async () => {
    const impatient = await TestEdge.start({
      nats: (await start({})).nats,
      limits: { "service.request_deadline_ms": 300 }
    })
    node.on("agent.me", () => "silence")
    const answered = await impatient.call("/api/v1/me", { signed: newIdentity() })
    expect(answered.status).toBe(503)
    const operator = await connectTo(impatient.nats)
    const { edges, found } = await rememberedBy(operator, idOf(answered))
    await operator.close()
    expect([edges, found?.found]).toMatchObject([2, { by: "bus", asked: "agent.me", status: 503 }])
    await impatient.stop()
  })

  it("tells nothing of what was sent", async () => {
    const edge = await start({})
    const canary = "zqCanary77"
    const sent = [
      await edge.call(`/api/v1/agents/${canary}?cursor=${canary}`),
      await edge.call(`/api/v1/me?x=${canary}`, { headers: { "x-request-id": canary, cookie: canary } }),
      await edge.call("/api/v1/me", {
        signed: newIdentity(),
        method: "PATCH",
        body: JSON.stringify({ [canary]: canary, links: { [canary]: canary } }),
        headers: JSON_TYPE
      }),
      await edge.call(`/${canary}/${canary}`)
    ]
    for (const answered of sent) {
      expect(answered.status).toBeGreaterThanOrEqual(400)
      const answer = await remembered(edge, idOf(answered))
      expect(answer.found?.id).toBe(idOf(answered))
      const { route, ...rest } = answer.found ?? { route: "" }
      expect(JSON.stringify(rest)).not.toContain(canary)
      // The request log tells as much of a path that nothing has.
      expect(route).not.toContain(canary.repeat(2))
    }
  })

  it("keeps a refusal through a flood of others, of which it remembers few", async () => {
    const edge = await start({ anon: 20 })
    const refused = await edge.call("/api/v1/me", {
      signed: newIdentity(),
      method: "PATCH",
      body: "{",
      headers: JSON_TYPE
    })
    expect(refused.status).toBe(422)
    const began = Date.now()
    const flood = await Promise.all(Array.from({ length: 400 }, () => edge.call("/api/v1/time")))
    const limited = flood.filter(({ status }) => status === 429)
    expect(limited.length).toBe(380)
    const answers = await Promise.all(limited.map((one) => remembered(edge, idOf(one))))
    const kept = answers.filter(({ found }) => found !== null).length
    const seconds = (Date.now() - began) / 1000
    expect(kept).toBeGreaterThanOrEqual(BURST)
    expect(kept).toBeLessThanOrEqual(BURST + PER_SECOND * Math.ceil(seconds))
    expect(answers.at(-1)?.passed_over).toEqual({ "429": limited.length - kept })
    expect((await remembered(edge, idOf(refused))).found).toMatchObject({ status: 422, field: "body" })
  })

  it("answers an id of no request with nothing, and a longer text not at all", async () => {
    const edge = await start({})
    expect(await remembered(edge, "no-request")).toMatchObject({ found: null, passed_over: {} })
    const connection = await connectTo(edge.nats)
    const answers = await connection.requestMany(subjects.refused, "x".repeat(65), { maxWait: 200, maxMessages: 1 })
    const all = []
    for await (const message of answers) all.push(message)
    await connection.close()
    expect(all).toEqual([])
  })
})

const JSON_TYPE = { "content-type": "application/json" } as const

describe("what is remembered", () => {
  const callOf = (id: string, refusal: Refusal): Call =>
    ({
      id,
      method: "GET",
      path: "/",
      endpoint: null,
      startedAt: 0,
      client: "c",
      ticket: null,
      holder: null,
      person: null,
      refusal
    }) as Call
  const limited: Refusal = { code: "rate_limited", message: "", details: { bucket: "ip" } }
  const open = () => {
    const clock = standingClock()
    return { clock, refusals: new Refusals(clock) }
  }

  it("does not grow in a flood, whatever its length, and costs a flood no entry", () => {
    const { clock, refusals } = open()
    for (let one = 0; one < 1_000_000; one++) refusals.note(callOf(String(one), limited), 429)
    expect(refusals.size).toBe(BURST)
    expect(refusals.find("none").passed_over).toEqual({ "429": 1_000_000 - BURST })
    for (let second = 0; second < 2 * REMEMBERED_MAX; second++) {
      clock.move(1000)
      for (let one = 0; one < 10; one++) refusals.note(callOf(`${second} ${one}`, limited), 429)
    }
    expect(refusals.size).toBe(REMEMBERED_MAX)
    expect(refusals.find(`${2 * REMEMBERED_MAX - 1} 0`).found).not.toBeNull()
    expect(refusals.find("0").found).toBeNull()
  })

  it("ends after a day, and takes no memory then", () => {
    const { clock, refusals } = open()
    refusals.note(callOf("first", limited), 429)
    clock.move(KEPT_MS)
    refusals.note(callOf("second", limited), 429)
    expect(refusals.find("first").found).toMatchObject({ bucket: "ip" })
    clock.move(1)
    expect(refusals.find("first").found).toBeNull()
    refusals.forget()
    expect([refusals.size, refusals.find("second").found?.id]).toEqual([1, "second"])
    refusals.note(callOf("third", limited), 429)
    expect(["second", "third"].map((id) => refusals.find(id).found?.id)).toEqual(["second", "third"])
  })

  it("has a bound for statuses too", () => {
    const { refusals } = open()
    for (let status = 400; status < 600; status++) refusals.note(callOf(String(status), limited), status)
    expect(refusals.size).toBeLessThanOrEqual(24 + BURST)
    expect(refusals.find("400").found).not.toBeNull()
  })

  it.each([
    ["name", "name"],
    ["links.0.url", "links.0.url"],
    ["links.sk_live_51Hxx", "links.…"],
    ["hunter2", "…"],
    ["a".repeat(200), "…"],
    ['x","y":"z', "…"],
    ["", null],
    [7, null],
    [undefined, null]
  ])("is a word of the service's own: %j", (value, shown) => {
    expect(wordIn(value)).toBe(shown)
  })
})
