/** What the worker does when the log, actors or receivers fail. */
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { PostOutcome } from "../../actors/kit/post.ts"
import { ASTRAY_MS, LINGER_MS } from "../../actors/fanout/worker.ts"
import { waitFor } from "../harness/index.ts"
import {
  WEBHOOK,
  taken,
  refusing,
  answer,
  worker,
  turned,
  standing,
  turn,
  closed,
  openScope,
  closeScope,
  play,
  opsOf,
  logged
} from "./played.ts"

beforeEach(openScope)
afterEach(closeScope)

describe("when others fail", () => {
  test.each(["unavailable", "overloaded", "internal_error", "not_found"] as const)(
    "no signature (%s): again later, nothing posted",
    async (code) => {
      const played = play({ actors: (ask) => (ask.op === "webhook.sign" ? refusing(code) : null) })
      played.line.queued(1)
      await logged(played, "nak 1 1000")
      expect(played.posts).toEqual([])
    }
  )

  test("no report: again, later each time, never acknowledged", async () => {
    const played = play({
      actors: (ask) =>
        ask.op === "delivery.report"
          ? refusing("unavailable")
          : ask.op === "delivery.content"
            ? answer({ agent: "hx1", about: "x", body: "{}", receiver: "a.example:443", calls: 1, called: true })
            : null
    })
    played.line.queued(1)
    await logged(played, "nak 1 1000")
    played.line.give(
      1,
      [{ type: "delivery.queued", v: 1, agent: "hx1", about: "x", body: "{}", receiver: "a.example:443" }],
      3
    )
    await logged(played, "nak 1 3000")
    expect(played.line.log.some((line) => line.startsWith("ack"))).toBe(false)
  })

  test("the agent hears of the first failure, of a success after one, and of 410; of a success otherwise not", async () => {
    let outcome: PostOutcome = taken
    let failing = false
    const played = play({
      actors: (ask) =>
        ask.op === "webhook.sign" ? answer({ url: "https://a.example/in", signature: "v1,x", failing }) : null,
      post: () => Promise.resolve(outcome)
    })
    const heard = async (seq: number) => {
      played.line.queued(seq)
      await logged(played, `ack ${seq}`)
      await waitFor(() => played.asks.at(-1)?.op !== "delivery.report" || (outcome.error === null && !failing))
      return played.asks
        .filter(({ op, actor }) => op === "webhook.attempted" && actor === `hx${seq}`)
        .map(({ input }) => input)
    }
    expect(await heard(1)).toEqual([])
    outcome = { ...taken, response_code: 500, error: "http_500" }
    expect(await heard(2)).toEqual([{ url: "https://a.example/in", delivered: false, gone: false }])
    outcome = { ...taken, response_code: 410, error: "http_410" }
    expect(await heard(3)).toEqual([{ url: "https://a.example/in", delivered: false, gone: true }])
    failing = true
    outcome = taken
    expect(await heard(4)).toEqual([{ url: "https://a.example/in", delivered: true, gone: false }])
  })

  test("a receiver turned slow: what waits for it is put off durably, not kept", async () => {
    turned()
    const held: Array<(outcome: PostOutcome) => void> = []
    const played = play({ post: () => new Promise((resolve) => held.push(resolve)) })
    for (let count = 1; count <= 10; count++) played.line.queued(count)
    await waitFor(() => held.length === WEBHOOK.slow_in_flight_max)
    await turn(WEBHOOK.slow_ms - 1)
    expect(opsOf(played)).not.toContain("delivery.put_off")
    await turn(1)
    await waitFor(
      () =>
        opsOf(played).filter((op) => op === "delivery.put_off").length ===
        10 - WEBHOOK.slow_in_flight_max - WEBHOOK.slow_queue_max
    )
    await waitFor(() => {
      for (const hung of held.splice(0)) hung(taken)
      return worker.load.held === 0
    })
  })

  test("silence for long: it says to be working on what it holds", async () => {
    turned()
    let release: (outcome: PostOutcome) => void = () => undefined
    const played = play({
      post: () =>
        new Promise((resolve) => {
          release = resolve
        })
    })
    played.line.queued(1)
    await waitFor(() => played.posts.length === 1)
    await turn(WEBHOOK.ack_wait_ms)
    expect(played.line.working).toBe(3)
    // Given out again meanwhile, while the line was down: one attempt is enough.
    played.line.queued(1)
    await waitFor(() => played.line.waiting.length === 0)
    release(taken)
    await logged(played, "ack 1")
    expect(played.posts).toHaveLength(1)
  })

  test("a process that was frozen begins no attempt that waited meanwhile, since another worker has it", async () => {
    const stands = standing()
    const hung: Array<(outcome: PostOutcome) => void> = []
    let hangs = true
    const played = play({
      post: () => (hangs ? new Promise((resolve) => hung.push(resolve)) : Promise.resolve(taken))
    })
    for (let n = 1; n <= 6; n++) played.line.queued(n)
    await waitFor(() => worker.load.queued > 0 && hung.length === worker.load.inFlight)
    const [begun, queued] = [hung.length, worker.load.queued]
    expect(begun + queued).toBe(6)
    hangs = false
    stands.move(WEBHOOK.ack_wait_ms)
    for (const answered of hung) answered(taken)
    await waitFor(() => worker.load.held === 0, { describe: "nothing is held" })
    expect(played.posts).toHaveLength(begun)
    // Nothing is said of them: the server gives them to whoever is there.
    const settled = played.line.log.filter((line) => line.startsWith("nak"))
    expect(settled).toEqual([])
  })

  test("what lay at a frozen process is not sent: the server gives it again, if nobody has it", async () => {
    const stands = standing()
    const content = { agent: "hx1", about: "webhook.test", body: "{}", receiver: "a.example:443", calls: 1 }
    const played = play({
      actors: ({ op, actor }) => (op === "delivery.content" ? answer({ ...content, called: actor === "2" }) : null)
    })
    await waitFor(() => played.line.asked.length > 0)
    stands.move(WEBHOOK.ack_wait_ms)
    // Somebody has sent the first. The second is due, or another worker is just sending it.
    played.line.queued(1)
    played.line.queued(2)
    await logged(played, "ack 1")
    await waitFor(() => worker.load.held === 0, { describe: "nothing is held" })
    expect([played.posts, played.line.log]).toEqual([[], ["ack 1"]])
  })

  test("a POST that goes astray is one that came too late, and its place is free again", async () => {
    turned()
    const played = play({ post: () => new Promise(() => undefined) })
    for (let count = 1; count <= 2; count++) played.line.queued(count)
    await waitFor(() => played.posts.length === 2)
    await turn(WEBHOOK.timeout_ms + ASTRAY_MS - 1)
    expect([played.line.log, worker.load.inFlight]).toEqual([[], 2])
    await turn(1)
    await logged(played, "ack 1")
    await logged(played, "ack 2")
    expect(played.asks.find(({ op }) => op === "delivery.report")?.input).toMatchObject({
      response_code: null,
      error: "timeout",
      duration_ms: WEBHOOK.timeout_ms + ASTRAY_MS
    })
    await waitFor(() => worker.load.inFlight === 0)
    expect(worker.load).toEqual({ held: 0, inFlight: 0, queued: 0 })
  })

  test.each(["webhook.sign", "delivery.report", "webhook.attempted"])(
    "an ask that never ends (%s) holds no place for ever",
    async (op) => {
      turned()
      const played = play({
        post: () => Promise.resolve({ ...taken, response_code: 500, error: "http_500" }),
        stuck: op
      })
      played.line.queued(1)
      await waitFor(() => opsOf(played).at(-1) === op)
      await turn(WEBHOOK.timeout_ms)
      expect(worker.load.inFlight).toBe(1)
      await turn(60_000)
      expect(worker.load).toEqual({ held: 0, inFlight: 0, queued: 0 })
      expect(played.line.log).toEqual([op === "webhook.attempted" ? "ack 1" : "nak 1 1000"])
    }
  )

  test("it fetches no more than it may hold", async () => {
    const held: Array<(outcome: PostOutcome) => void> = []
    const played = play({ post: () => new Promise((resolve) => held.push(resolve)) })
    for (let count = 1; count <= 40; count++) played.line.queued(count, { receiver: `r${count}.example:443` })
    await waitFor(() => played.line.waiting.length === 40 - WEBHOOK.held_max)
    expect(played.line.asked.every((max) => max <= WEBHOOK.held_max)).toBe(true)
    await waitFor(() => {
      for (const resolve of held.splice(0)) resolve(taken)
      return played.line.log.filter((line) => line.startsWith("ack")).length === 40
    })
  })

  test("at its end it gives back what waits and finishes what is under way", async () => {
    const held: Array<(outcome: PostOutcome) => void> = []
    const played = play({ post: () => new Promise((resolve) => held.push(resolve)) })
    for (let count = 1; count <= 6; count++) played.line.queued(count)
    await waitFor(() => held.length === 2)
    const ended = closed()
    for (const resolve of held) resolve(taken)
    await ended
    expect(played.line.log.toSorted()).toEqual(["ack 1", "ack 2", "nak 3 0", "nak 4 0", "nak 5 0", "nak 6 0"])
  })

  test("at its end it waits for nobody for ever, and says nothing of what has not ended", async () => {
    turned()
    const played = play({ post: () => new Promise(() => undefined) })
    played.line.queued(1)
    await waitFor(() => played.posts.length === 1)
    let ended = false
    const ending = closed().then(() => (ended = true))
    await turn(LINGER_MS - 1)
    expect(ended).toBe(false)
    await turn(1)
    await ending
    expect([played.line.log, opsOf(played)]).toEqual([[], ["webhook.sign"]])
  })
})
