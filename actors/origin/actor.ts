/**
 * Counts registrations from one network address in the last hour (spec 3.3: they raise the difficulty). Its id is a
 * hash of the address. The address itself is not stored, and the hash is kept only a little longer than its
 * registrations count.
 */
import { Schema } from "effect"
import { originOperations } from "../../schemas/origin/operations.ts"
import { read, write } from "../engine/definition.ts"
import { event } from "../engine/events.ts"
import { type ActorOf, type Fold, kind } from "../kit/kind.ts"

export const OriginState = Schema.Struct({
  /** Unix ms of the latest registrations. */
  registered: Schema.Array(Schema.Number)
})
export type OriginState = typeof OriginState.Type

export const OriginEvent = Schema.Union([event("origin.registered", 1)])
export type OriginEvent = typeof OriginEvent.Type

/** Added to the time that the log keeps a registration, so that differing clocks do not matter. */
const LONGER_SECONDS = 600

/** Further registrations do not raise the difficulty. */
const REMEMBERED_MAX = 16

const evolveOrigin = (state: OriginState, _event: OriginEvent, meta: { readonly at: number }): OriginState => ({
  registered: [...state.registered, meta.at].slice(-REMEMBERED_MAX)
})

const fold: Fold<ActorOf<OriginState, OriginEvent>> = {
  kind: "origin",
  ends: true,
  state: OriginState,
  initial: { registered: [] },
  events: OriginEvent,
  evolve: evolveOrigin
}

export const originKind = kind(fold, originOperations, ({ config }) => ({
  keepSeconds: () => config.limits.service.registrations_counted_window_seconds + LONGER_SECONDS,
  operations: {
    "origin.recent": read((state, _input, { at }) => {
      const from = at - config.limits.service.registrations_counted_window_seconds * 1000
      return { data: { registrations: state.registered.filter((time) => time > from).length } }
    }),
    "origin.record": write({
      decide: () => ({ events: [{ type: "origin.registered", v: 1 }] }),
      answer: () => null
    })
  }
}))
