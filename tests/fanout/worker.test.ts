/** The worker's way with a call, between a log, actors and receivers that are played. */
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { answer, openScope, closeScope, play, opsOf, logged } from "./played.ts"

beforeEach(openScope)
afterEach(closeScope)

describe("a call", () => {
  test("is signed, posted, reported, acknowledged, in this order", async () => {
    const played = play()
    played.line.queued(7)
    await logged(played, "ack 7")
    expect(opsOf(played)).toEqual(["webhook.sign", "delivery.report"])
    expect(played.posts).toEqual(["https://a.example/in ntf_7"])
    expect(played.asks[1]).toMatchObject({
      id: "delivery-7-1",
      kind: "delivery",
      actor: "7",
      input: { call: 1, response_code: 200, error: null }
    })
  })

  test("a commit that calls for nothing is acknowledged, unasked", async () => {
    const played = play()
    played.line.give(1, [{ type: "delivery.attempted", v: 1 }])
    played.line.give(2, [])
    await logged(played, "ack 1")
    await logged(played, "ack 2")
    expect(played.asks).toEqual([])
  })

  test("a commit of a newer release, which may call for something, is left to its workers", async () => {
    const played = play()
    played.line.give(1, [{ type: "delivery.of_tomorrow", v: 1, call: 2 }])
    await logged(played, "nak 1 5000")
    expect([played.asks, played.line.log]).toEqual([[], ["nak 1 5000"]])
  })

  test("given again, or due: the delivery is asked first, and again where it has not heard of the call yet", async () => {
    const content = { agent: "hx1", about: "webhook.test", body: "{}", receiver: "a.example:443" }
    const played = play({
      actors: (ask, times) =>
        ask.op === "delivery.content" ? answer({ ...content, calls: times < 3 ? 1 : 2, called: times >= 3 }) : null
    })
    played.line.give(1, [{ type: "delivery.due", v: 1, call: 2 }], 1, 50)
    await logged(played, "ack 50")
    expect(opsOf(played)).toEqual([
      "delivery.content",
      "delivery.content",
      "delivery.content",
      "webhook.sign",
      "delivery.report"
    ])
  })

  test.each([
    ["answered", { calls: 1, called: false }],
    ["superseded", { calls: 2, called: true }]
  ])("that was %s is posted no more", async (_what, stands) => {
    const played = play({
      actors: (ask) =>
        ask.op === "delivery.content"
          ? answer({ agent: "hx1", about: "x", body: "{}", receiver: "a.example:443", ...stands })
          : null
    })
    played.line.give(
      3,
      [{ type: "delivery.queued", v: 1, agent: "hx1", about: "x", body: "{}", receiver: "a.example:443" }],
      2
    )
    await logged(played, "ack 3")
    expect(played.posts).toEqual([])
  })

  test("to nobody any more is dropped", async () => {
    const played = play({ actors: (ask) => (ask.op === "webhook.sign" ? answer({ drop: "banned" }) : null) })
    played.line.queued(4)
    await logged(played, "ack 4")
    expect(played.posts).toEqual([])
    expect(played.asks[1]).toMatchObject({ op: "delivery.drop", input: { call: 1, reason: "banned" } })
  })

  test("goes where the webhook is now, in that receiver's turn", async () => {
    const played = play({
      actors: (ask) =>
        ask.op === "webhook.sign"
          ? answer({ url: "https://b.example:8443/new", signature: "v1,x", failing: false })
          : null
    })
    played.line.queued(5)
    await logged(played, "ack 5")
    expect(played.posts).toEqual(["https://b.example:8443/new ntf_5"])
  })
})
