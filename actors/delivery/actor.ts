/** The delivery actor: id = the number of the notification that it delivers. Begun by the agent's own commit. */
import { Effect } from "effect"
import { deliveryOperations } from "../../schemas/delivery/operations.ts"
import { notFound } from "../../schemas/errors.ts"
import { read, write } from "../engine/definition.ts"
import { type ActorOf, type Fold, kind } from "../kind.ts"
import { decideDrop, decidePutOff, decideRedeliver, decideReport, decideTimer } from "./decide.ts"
import { DeliveryEvent, DeliveryState, evolve } from "./state.ts"

const fold: Fold<ActorOf<DeliveryState, DeliveryEvent>> = {
  kind: "delivery",
  state: DeliveryState,
  initial: null,
  events: DeliveryEvent,
  evolve
}

/** How the delivery stands now. */
const told = (state: DeliveryState) => ({ status: state?.status ?? null })

const jitter = Effect.sync(() => ({ jitter: Math.random() * 2 - 1 }))

export const deliveryKind = kind(fold, deliveryOperations, ({ config: { limits } }) => ({
  onTimer: "delivery.timer",
  operations: {
    "delivery.content": read((state) => {
      if (state === null) return { refused: notFound("delivery") }
      const { agent, about, body, receiver, calls, called, attempts } = state
      return { data: { agent, about, body, receiver, calls, called, attempts } }
    }),
    "delivery.report": write({
      prepare: () => jitter,
      decide: (state, report, context) => decideReport(state, report, context, limits),
      answer: told
    }),
    "delivery.put_off": write({
      prepare: () => jitter,
      decide: (state, input, context) => decidePutOff(state, input, context, limits),
      answer: told
    }),
    "delivery.drop": write({ decide: decideDrop, answer: told }),
    "delivery.timer": write({ decide: decideTimer, answer: told }),
    "delivery.redeliver": write({
      decide: (state, input, { at }) => decideRedeliver(state, input, at, limits),
      answer: told,
      projected: true
    })
  }
}))
