/**
 * Rate-limit buckets that edges and other actors draw from (contract 11). Each actor keeps one bucket in its memory. If
 * the bucket's window is `KEPT_FROM_SECONDS` or longer, its newest state is also stored in a stream, so that it
 * survives a restart.
 *
 * A caller that gets no answer sends the same command again. It counts once, because the actor remembers recent
 * commands, and a stored window lists its newest ones.
 */
import { Clock, Effect, Schema, Semaphore } from "effect"
import type { NatsConnection } from "@nats-io/transport-node"
import { type LimitGrant, limitOperations } from "../../schemas/limit/operations.ts"
import { invalidField, type Refusal, unavailable } from "../../schemas/errors.ts"
import { figuresOf, isCounted, type RateLimit, wideLimit } from "../../schemas/limit/bucket.ts"
import type { Limits } from "../../schemas/limits.ts"
import { once } from "../engine/definition.ts"
import { type ActorOf, type Fold, kind, type Operating } from "../kit/kind.ts"
import { keepWindow, readWindow } from "./stored-windows.ts"
import { draw, grantedTo, type Window, withCommand } from "./window.ts"

const KEPT_FROM_SECONDS = 900

interface Memory {
  window: Window | null
  /** A lock, so that no command reads the window while another one is still changing it. */
  readonly turn: Semaphore.Semaphore
  loaded: boolean
}

type Bucket = ActorOf<null, never, Memory>

const bucketOperations = (nats: NatsConnection, limits: Limits): Operating<typeof limitOperations, Bucket> => {
  const drawFrom = (
    memory: Memory,
    name: string,
    limit: RateLimit,
    key: string,
    { id, wanted }: { readonly id: string; readonly wanted: number }
  ): Effect.Effect<LimitGrant, Refusal> =>
    Effect.gen(function* () {
      const lasting = limit.window_seconds >= KEPT_FROM_SECONDS
      if (lasting && !memory.loaded) memory.window = yield* orUnavailable(() => readWindow(nats, name, key))
      memory.loaded = true
      const before = grantedTo(memory.window, id) ?? 0
      const drawn = draw(memory.window, limit, before === 0 ? wanted : 0, yield* Clock.currentTimeMillis)
      const granted = before + drawn.granted
      if (lasting && drawn.granted > 0) {
        const window = withCommand(drawn.window, id, granted)
        yield* orUnavailable(() => keepWindow(nats, name, key, window, limit.window_seconds))
        memory.window = window
      } else memory.window = drawn.window
      return { granted, limit: limit.requests, remaining: drawn.remaining, resets_at: drawn.resetsAt }
    })

  /** Returns units to the window. A repeat of the same command returns nothing. */
  const giveBackTo = (
    memory: Memory,
    name: string,
    limit: RateLimit,
    key: string,
    { id, count }: { readonly id: string; readonly count: number }
  ): Effect.Effect<null, Refusal> =>
    Effect.gen(function* () {
      const lasting = limit.window_seconds >= KEPT_FROM_SECONDS
      if (lasting && !memory.loaded) memory.window = yield* orUnavailable(() => readWindow(nats, name, key))
      memory.loaded = true
      const { window } = memory
      if (window === null || grantedTo(window, id) === 0) return null
      const left = { ...window, used: Math.max(0, window.used - Math.max(0, count)) }
      const given = lasting ? withCommand(left, id, 0) : left
      if (lasting) yield* orUnavailable(() => keepWindow(nats, name, key, given, limit.window_seconds))
      memory.window = given
      return null
    })

  return {
    "limit.draw": once((_state, input, context) => {
      const { bucket } = input
      if (!isCounted(limits, bucket)) return Effect.fail(noBucket)
      const { memory } = context
      const limit = input.wide === true ? wideLimit(limits, bucket) : figuresOf(limits, bucket)
      const key = context.id.slice(bucket.length + 1)
      return memory.turn.withPermit(
        drawFrom(memory, bucket, limit, key, { id: context.commandId, wanted: input.wanted })
      )
    }),
    "limit.give_back": once((_state, { bucket, count }, { id, commandId, memory }) => {
      if (!isCounted(limits, bucket)) return Effect.fail(noBucket)
      const key = id.slice(bucket.length + 1)
      return memory.turn.withPermit(
        giveBackTo(memory, bucket, figuresOf(limits, bucket), key, { id: commandId, count })
      )
    })
  }
}

const noBucket = invalidField("bucket", "There is no such bucket.")

const orUnavailable = <A>(request: () => Promise<A>): Effect.Effect<A, Refusal> =>
  Effect.tryPromise({ try: request, catch: () => unavailable("The rate limit cannot be read at the moment.") })

const fold: Fold<Bucket> = { kind: "limit", state: Schema.Null, initial: null, events: null, evolve: () => null }

export const limitKind = kind(fold, limitOperations, ({ nats, config }) => ({
  logless: true,
  memory: (): Memory => ({ window: null, turn: Semaphore.makeUnsafe(1), loaded: false }),
  operations: bucketOperations(nats, config.limits)
}))
