/** The worker between a log, actors and receivers that are played here: what it does when any of them fails. */
import { Effect, Exit, ManagedRuntime, Scope } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import type { Ask } from "../../schemas/bus/frames.ts"
import type { Answer } from "../../schemas/runtime/bus/asker.ts"
import { LIMITS } from "../../schemas/limits.ts"
import type { Refusal } from "../../schemas/errors.ts"
import type { PostOutcome } from "../../actors/fanout/post.ts"
import type { Message, Source } from "../../actors/fanout/message.ts"
import { ASTRAY_MS, LINGER_MS, Worker } from "../../actors/fanout/worker.ts"
import { waitFor } from "../harness/index.ts"

const WEBHOOK = { ...LIMITS.webhook, ack_wait_ms: 60, slow_ms: 50, in_flight_max: 8, held_max: 16, fetch_room_min: 8 }

const taken: PostOutcome = { response_code: 200, error: null, retry_after_seconds: null, duration_ms: 1 }
const refusing = (code: Refusal["code"]): Answer => ({
  head: { refused: { code, message: "" } },
  body: new Uint8Array(0)
})
const answer = (data: unknown): Answer => ({ head: {}, body: Buffer.from(JSON.stringify(data)) })

class Line implements Source {
  readonly waiting: Array<Message> = []
  readonly log: Array<string> = []
  readonly asked: Array<number> = []
  working = 0
  private wake: () => void = () => undefined

  give(delivery: number, events: ReadonlyArray<object>, given = 1, seq = delivery): void {
    this.waiting.push({
      seq,
      delivery: String(delivery),
      given,
      data: Buffer.from(JSON.stringify({ v: 1, id: "c", op: "o", at: 0, events })),
      ack: () => void this.log.push(`ack ${seq}`),
      nak: (ms) => void this.log.push(`nak ${seq} ${ms}`),
      working: () => void this.working++
    })
    this.wake()
  }

  queued(delivery: number, more: object = {}): void {
    this.give(delivery, [
      {
        type: "delivery.queued",
        v: 1,
        agent: `hx${delivery}`,
        about: "webhook.test",
        body: "{}",
        receiver: "a.example:443",
        ...more
      }
    ])
  }

  fetch(max: number, receive: (message: Message) => void): Effect.Effect<void> {
    this.asked.push(max)
    const come = Effect.promise(() =>
      this.waiting.length > 0 ? Promise.resolve() : new Promise<void>((resolve) => (this.wake = resolve))
    )
    return Effect.map(come, () => {
      for (const message of this.waiting.splice(0, max)) receive(message)
    })
  }
}

let scope: Scope.Closeable
let worker: Worker
/** The worker's, where a test turns it. */
let clock: ManagedRuntime.ManagedRuntime<never, never> | null = null
const turned = (): ManagedRuntime.ManagedRuntime<never, never> => (clock = ManagedRuntime.make(TestClock.layer()))
const turn = (ms: number): Promise<void> => clock?.runPromise(TestClock.adjust(ms)) ?? Promise.reject()
const closed = (): Promise<void> => (clock ?? Effect).runPromise(Scope.close(scope, Exit.void))

beforeEach(() => {
  scope = Scope.makeUnsafe()
})
afterEach(async () => {
  await closed()
  await clock?.dispose()
  clock = null
})

interface Played {
  readonly line: Line
  readonly asks: Array<Ask>
  readonly posts: Array<string>
}

const play = (
  more: {
    readonly actors?: (ask: Ask, times: number) => Answer | null
    readonly post?: () => Promise<PostOutcome>
    /** An operation that is never answered. */
    readonly stuck?: string
  } = {}
): Played => {
  const line = new Line()
  const asks: Array<Ask> = []
  const posts: Array<string> = []
  const times = new Map<string, number>()
  const usual = (ask: Ask): Answer =>
    answer(
      ask.op === "webhook.sign"
        ? { url: "https://a.example/in", signature: "v1,x", failing: false }
        : { status: "delivered" }
    )
  const made = Worker.make({
    source: line,
    config: { limits: { ...LIMITS, webhook: WEBHOOK } },
    ask: (ask) => {
      asks.push(ask)
      times.set(ask.op, (times.get(ask.op) ?? 0) + 1)
      if (ask.op === more.stuck) return new Promise<Answer>(() => undefined)
      return Promise.resolve(more.actors?.(ask, times.get(ask.op) ?? 0) ?? usual(ask))
    },
    poster: {
      post: (url, headers) => {
        posts.push(`${url} ${String(headers["webhook-id"])}`)
        return more.post?.() ?? Promise.resolve(taken)
      }
    }
  })
  worker = (clock ?? Effect).runSync(Scope.provide(made, scope))
  return { line, asks, posts }
}

const opsOf = ({ asks }: Played): ReadonlyArray<string> => asks.map(({ op }) => op)
const logged = (played: Played, line: string): Promise<unknown> =>
  waitFor(() => played.line.log.includes(line), { describe: line })

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
