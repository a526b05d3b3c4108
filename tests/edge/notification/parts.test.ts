/** What the held requests of an edge are made of, each by itself. */
import { describe, expect, test } from "vitest"
import { newsOf } from "../../../actors/agent/notification/news.ts"
import { commentOf, eventOf, lastEventId } from "../../../edge/notification/event-stream.ts"
import { Seats } from "../../../edge/notification/seats.ts"
import { Waking } from "../../../edge/notification/waking.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"

describe("seats", () => {
  test("are counted in all and for each agent; the oldest of an agent is known", () => {
    const seats = new Seats<string>(3, 2)
    seats.take("ada", "first")
    expect([seats.oldest("ada"), seats.full]).toEqual([null, false])
    seats.take("ada", "second")
    seats.take("bob", "third")
    expect([seats.oldest("ada"), seats.oldest("bob"), seats.oldest("eve"), seats.full]).toEqual([
      "first",
      null,
      null,
      true
    ])
    expect(seats.all()).toEqual(["first", "second", "third"])
  })

  test("are free again once, however often they are left", () => {
    const seats = new Seats<string>(2, 1)
    seats.take("ada", "first")
    seats.take("bob", "second")
    for (let turn = 0; turn < 3; turn++) seats.leave("ada", "first")
    seats.leave("eve", "second")
    expect([seats.full, seats.oldest("ada"), seats.all()]).toEqual([false, null, ["second"]])
    seats.take("ada", "third")
    expect(seats.full).toBe(true)
  })
})

describe("a request that waits", () => {
  const LONG_MS = 60_000

  test("is woken by what is newer, not by what it knows", async () => {
    const waking = new Waking(machineClock)
    waking.heard(5)
    const woken = waking.wait(LONG_MS, () => waking.newest > 5)
    waking.heard(5)
    waking.heard(3)
    expect(await Promise.race([woken.then(() => "woken"), Promise.resolve("waits")])).toBe("waits")
    waking.heard(6)
    await woken
    expect(waking.newest).toBe(6)
  })

  test("is woken by its end, and never waits again", async () => {
    const waking = new Waking(machineClock)
    const woken = waking.wait(LONG_MS, () => false)
    waking.end()
    await woken
    await waking.wait(LONG_MS, () => false)
    expect(waking.over).toBe(true)
  })

  test("is woken by its account, and by the time", async () => {
    const waking = new Waking(machineClock)
    const woken = waking.wait(LONG_MS, () => waking.accountChanged)
    waking.judge()
    await woken
    const from = performance.now()
    await waking.wait(20, () => false)
    expect(performance.now() - from).toBeGreaterThanOrEqual(19)
  })
})

describe("server-sent events", () => {
  const record = {
    id: 7,
    type: "webhook.test",
    payload: { text: "a\nb\r\n\u2028: c\n\nid: 9" },
    read: false,
    read_at: null,
    created_at: "2026-11-21T12:00:00.000Z"
  }

  test("hold one record in one line each, whatever stands in it", () => {
    const text = eventOf(record)
    const [id, event, data, ...rest] = text.split(/\r\n|\r|\n/)
    expect([id, event, rest]).toEqual(["id: 7", "event: webhook.test", ["", ""]])
    expect(JSON.parse((data ?? "").slice("data: ".length))).toEqual(record)
    expect(commentOf("still here")).toBe(": still here\n\n")
  })

  test("go on behind an id", () => {
    expect([lastEventId(undefined), lastEventId(""), lastEventId("0"), lastEventId("12")]).toEqual([null, null, 0, 12])
    for (const header of [" 1", "-1", "1e3", "0x1", "1,2", "9".repeat(16)])
      expect(lastEventId(header)).toMatchObject({
        refused: { code: "validation_error", details: { field: "Last-Event-ID" } }
      })
  })
})

describe("news of a batch", () => {
  const message = (kind: string, id: string, ...events: ReadonlyArray<object>) => ({
    seq: 1,
    kind,
    id,
    data: new TextEncoder().encode(JSON.stringify({ v: 1, id: "c", op: "o", at: 1, events }))
  })
  const notified = (notification: number) => ({
    type: "agent.notified",
    v: 1,
    notification,
    about: "webhook.test",
    payload: {}
  })

  test("are each agent's newest notification, or that its account changed", () => {
    const news = newsOf([
      message("agent", "ada", notified(1)),
      message("agent", "bob", { type: "agent.profile_changed", v: 1, description: '"agent.notified"' }),
      message("agent", "ada", notified(2), notified(3)),
      message("agent", "eve", notified(4)),
      message("agent", "eve", { type: "agent.deleted", v: 1 }),
      message("agent", "eve", notified(5)),
      message("key", "ida", notified(6)),
      message("agent", "max", { type: "agent.banned", v: 1, reason: "x" }),
      { seq: 2, kind: "agent", id: "tom", data: new TextEncoder().encode('"agent.notified"{') },
      { seq: 3, kind: "agent", id: "sam", data: new Uint8Array() }
    ])
    expect([...news]).toEqual([
      ["ada", "3"],
      ["eve", ""],
      ["max", ""]
    ])
  })
})
