/** Decisions on the browsers that a person gets push messages in. Pure. */
import { invalidField, notFound, type Refusal } from "../../../schemas/errors.ts"
import { absent, type Decided, isActive, type OwnerLimits, type Posted } from "../decide.ts"
import type { HumanEvent, HumanState } from "../state.ts"

export const noSubscription: Refusal = notFound("subscription")

export interface SubscribeFacts {
  readonly sealed: string
  /** Subscriptions that this one replaces: those of the same browser, and those that take no messages any more. */
  readonly over: ReadonlyArray<number>
  /** The letter that reports a new browser. */
  readonly posted: Posted
}

const ended = (id: number): HumanEvent => ({ type: "human.push_ended", v: 1, id })

export const decideSubscribe = (
  state: HumanState,
  { facts: { sealed, over, posted } }: { readonly facts: SubscribeFacts },
  { push_subscriptions_max: max }: OwnerLimits
): Decided => {
  if (!isActive(state)) return absent
  const { subscriptions, made } = state.push
  if (subscriptions.filter(({ id }) => !over.includes(id)).length >= max)
    return { refused: invalidField("browsers", `There are ${max} browsers already: end one first.`, { max }) }
  return { events: [...over.map(ended), { type: "human.push_subscribed", v: 1, id: made + 1, sealed }], ...posted }
}

export const decideEndPush = (state: HumanState, { id }: { readonly id: number }): Decided =>
  isActive(state) && state.push.subscriptions.some((one) => one.id === id) ? { events: [ended(id)] } : { events: [] }
