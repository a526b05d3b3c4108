/** The delivery actor. Its id is the number of the notification that it delivers. The agent's own commit creates it. */
import { Effect } from "effect"
import { type DeliveryContent, deliveryOperations } from "../../schemas/delivery/operations.ts"
import { notFound, type Refusal } from "../../schemas/errors.ts"
import {
  completed,
  isCompleted,
  type KnownSubject,
  wantedBy,
  type Wanting
} from "../../schemas/notification/completed.ts"
import { type PrepareContext, read, write } from "../engine/definition.ts"
import { type ActorOf, type Fold, kind } from "../kit/kind.ts"
import { Actors } from "../engine/services.ts"
import {
  decideDrop,
  decidePutOff,
  decideRedeliver,
  decideReport,
  decideTimer,
  RETRY_TIMER,
  retentionSeconds
} from "./decide.ts"
import { DeliveryEvent, DeliveryState, evolve } from "./state.ts"

const fold: Fold<ActorOf<DeliveryState, DeliveryEvent>> = {
  kind: "delivery",
  ends: true,
  state: DeliveryState,
  initial: null,
  events: DeliveryEvent,
  evolve
}

const statusRecord = (state: DeliveryState) => ({ status: state?.status ?? null })

interface Body {
  readonly payload: Readonly<Record<string, unknown>>
}

const jitter = Effect.sync(() => ({ jitter: Math.random() * 2 - 1 }))

const orNull = <A>(asked: Effect.Effect<A, Refusal>): Effect.Effect<A | null, Refusal> =>
  Effect.catch(asked, (refused) => (refused.code === "not_found" ? Effect.succeed(null) : Effect.fail(refused)))

const known = (wanting: Wanting, context: PrepareContext): Effect.Effect<KnownSubject, Refusal, Actors> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    if (wanting.of === "mail") {
      const mail = yield* orNull(actors.ask(context, "mail.summary", String(wanting.mail), null))
      return { name: null, text: null, mail }
    }
    const { human, message } = wanting
    const person = yield* orNull(actors.ask(context, "human.shown", human, null))
    const words =
      message === null ? null : yield* orNull(actors.ask(context, "owner_message.words", String(message), null))
    return { name: person?.name ?? null, text: words?.text ?? null, mail: null }
  })

/**
 * Completes a body with names of people, words of owners and content of mail, as they are at this attempt. The log
 * contains only ids.
 */
const whole = (about: string, body: string, context: PrepareContext): Effect.Effect<string, Refusal, Actors> =>
  Effect.gen(function* () {
    const told: Body = JSON.parse(body)
    const wanting = wantedBy(about, told.payload)
    if (wanting === null) return body
    const added = yield* known(wanting, context)
    return JSON.stringify({ ...told, payload: completed(about, told.payload, wanting, added) })
  })

export const deliveryKind = kind(fold, deliveryOperations, ({ config: { limits } }) => ({
  keepSeconds: (state, at) => retentionSeconds(state, at, limits),
  onTimer: { [RETRY_TIMER]: "delivery.timer" },
  operations: {
    "delivery.content": read((state) => {
      if (state === null) return { refused: notFound("delivery") }
      const { agent, about, body, receiver, calls, called, attempts } = state
      const content = { agent, about, body, receiver, calls, called, attempts }
      if (!isCompleted(about)) return { data: content }
      return {
        later: (context) =>
          Effect.map(whole(about, body, context), (completed): DeliveryContent => ({ ...content, body: completed }))
      }
    }),
    "delivery.report": write({
      prepare: () => jitter,
      decide: (state, report, context) => decideReport(state, report, context, limits),
      answer: statusRecord
    }),
    "delivery.put_off": write({
      prepare: () => jitter,
      decide: (state, input, context) => decidePutOff(state, input, context, limits),
      answer: statusRecord
    }),
    "delivery.drop": write({ decide: decideDrop, answer: statusRecord }),
    "delivery.timer": write({ decide: decideTimer, answer: statusRecord }),
    "delivery.redeliver": write({
      decide: (state, input, { at }) => decideRedeliver(state, input, at, limits),
      answer: statusRecord,
      projected: true
    })
  }
}))
