/** A worker between a log, actors and receivers that are played here. */
import { Clock, Effect, Exit, Layer, ManagedRuntime, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Ask } from "../../schemas/bus/frames.ts"
import type { Answer } from "../../schemas/runtime/bus/asker.ts"
import { LIMITS } from "../../schemas/limits.ts"
import type { Refusal } from "../../schemas/errors.ts"
import type { PostOutcome } from "../../actors/kit/post.ts"
import type { Message, Source } from "../../actors/kit/worker/message.ts"
import { Worker } from "../../actors/fanout/worker.ts"
import { type MovableClock, standingClock, waitFor } from "../harness/index.ts"

export const WEBHOOK = {
  ...LIMITS.webhook,
  ack_wait_ms: 9000,
  slow_ms: 50,
  in_flight_max: 8,
  held_max: 16,
  fetch_room_min: 8
}
export const taken: PostOutcome = { response_code: 200, error: null, retry_after_seconds: null, duration_ms: 1 }

export const refusing = (code: Refusal["code"]): Answer => ({
  head: { refused: { code, message: "" } },
  body: new Uint8Array(0)
})

export const answer = (data: unknown): Answer => ({ head: {}, body: Buffer.from(JSON.stringify(data)) })

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
export let worker: Worker

/** The worker's, where a test turns it. */
let clock: ManagedRuntime.ManagedRuntime<never, never> | null = null

export const turned = (): ManagedRuntime.ManagedRuntime<never, never> =>
  (clock = ManagedRuntime.make(TestClock.layer()))
let stands: MovableClock | null = null

/** Its time jumps, as after a freeze: timers that were due fire late. */
export const standing = (): MovableClock => {
  stands = standingClock()
  clock = ManagedRuntime.make(Layer.succeed(Clock.Clock, stands))
  return stands
}
export const turn = (ms: number): Promise<void> => clock?.runPromise(TestClock.adjust(ms)) ?? Promise.reject()
export const closed = (): Promise<void> => {
  const closing = (clock ?? Effect).runPromise(Scope.close(scope, Exit.void))
  return stands === null ? closing : stands.passing(closing)
}

export const openScope = (): void => {
  scope = Scope.makeUnsafe()
}

export const closeScope = async (): Promise<void> => {
  await closed()
  await clock?.dispose()
  clock = null
  stands = null
}

interface Played {
  readonly line: Line
  readonly asks: Array<Ask>
  readonly posts: Array<string>
}

export const play = (
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

export const opsOf = ({ asks }: Played): ReadonlyArray<string> => asks.map(({ op }) => op)

export const logged = (played: Played, line: string): Promise<unknown> =>
  waitFor(() => played.line.log.includes(line), { describe: line })
