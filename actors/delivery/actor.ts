/** The delivery actor: id = the number of the notification that it delivers. Begun by the agent's own commit. */
import { Effect } from "effect"
import type { DeliveryContent, Report } from "../../schemas/delivery/operations.ts"
import { notFound } from "../../schemas/errors.ts"
import { type Decision, read, write } from "../engine/definition.ts"
import { type Fold, kind } from "../kind.ts"
import { type JitterFacts, decideDrop, decidePutOff, decideRedeliver, decideReport, decideTimer } from "./decide.ts"
import { DeliveryEvent, DeliveryState, evolve } from "./state.ts"

const fold: Fold<DeliveryState, DeliveryEvent> = {
  kind: "delivery",
  state: DeliveryState,
  initial: null,
  events: DeliveryEvent,
  evolve
}

/** How the delivery stands now. */
const told = (state: DeliveryState) => ({ status: state?.status ?? null })

const jitter = (): Effect.Effect<JitterFacts> => Effect.sync(() => ({ jitter: Math.random() * 2 - 1 }))

export const deliveryKind = kind(fold, ({ config: { limits } }) => {
  const plain = <Input>(decide: (state: DeliveryState, input: Input, at: number) => Decision<DeliveryEvent>) =>
    write<DeliveryState, Input, DeliveryEvent>({
      decide: (state, input, { at }) => decide(state, input, at),
      answer: told
    })
  return {
    onTimer: "delivery.timer",
    operations: {
      "delivery.content": read<DeliveryState, null>((state) => {
        if (state === null) return { refused: notFound("delivery") }
        const { agent, about, body, receiver, calls, called, attempts } = state
        const content: DeliveryContent = { agent, about, body, receiver, calls, called, attempts }
        return { data: content }
      }),
      "delivery.report": write<DeliveryState, Report, DeliveryEvent, JitterFacts>({
        prepare: jitter,
        decide: (state, report, context) => decideReport(state, report, context, limits),
        answer: told
      }),
      "delivery.put_off": write<DeliveryState, { readonly call: number }, DeliveryEvent, JitterFacts>({
        prepare: jitter,
        decide: (state, input, context) => decidePutOff(state, input, context, limits),
        answer: told
      }),
      "delivery.drop": plain(decideDrop),
      "delivery.timer": plain(decideTimer),
      "delivery.redeliver": write<DeliveryState, { readonly agent: string }, DeliveryEvent>({
        decide: (state, input, { at }) => decideRedeliver(state, input, at, limits),
        answer: told,
        projected: true
      })
    }
  }
})
