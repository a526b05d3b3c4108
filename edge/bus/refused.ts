/** Answers an operator who asks every edge about a refused request (`hub explain`). */
import { hostname } from "node:os"
import type { NatsConnection } from "@nats-io/transport-node"
import { type Clock, Effect, type Scope } from "effect"
import { type RefusedAnswer, REQUEST_ID_MAX_CHARS } from "../../schemas/bus/refused.ts"
import { every } from "../../schemas/runtime/clock.ts"
import { subjects } from "../../schemas/subjects.ts"
import type { Refusals } from "../http/refusals.ts"

const FORGET_EVERY_MS = 600_000
const utf8 = new TextDecoder()

export const answerRefused = (
  clock: Clock.Clock,
  nats: NatsConnection,
  refusals: Refusals
): Effect.Effect<void, never, Scope.Scope> => {
  const answering = Effect.sync(() => {
    const subscription = nats.subscribe(subjects.refused, {
      callback: (error, message) => {
        if (error !== null || message.data.length > REQUEST_ID_MAX_CHARS) return
        const place = { host: hostname(), pid: process.pid }
        const answer: RefusedAnswer = { ...place, ...refusals.find(utf8.decode(message.data)) }
        message.respond(JSON.stringify(answer))
      }
    })
    return { subscription, end: every(clock, FORGET_EVERY_MS, () => refusals.forget(), "unref") }
  })
  return Effect.asVoid(
    Effect.acquireRelease(answering, ({ subscription, end }) =>
      Effect.sync(() => {
        end()
        subscription.unsubscribe()
      })
    )
  )
}
