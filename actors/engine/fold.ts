/**
 * Folds events into state, for activation, replay, what-if and verification alike. Read models and reactions use only
 * its check of events.
 *
 * Invariants
 *  - An event is folded only if the kind's inventory has its type, in its version or a later one. Any other event was
 *    written by a newer release. The reader stops there, because a state without that event would be wrong.
 *  - No state is `undefined`. An `evolve` that returns nothing for an event of its inventory is a fault.
 */
import type { ActorDefinition } from "./definition.ts"
import type { Commit, EventShape } from "../log/commit.ts"

export type Inventory = Readonly<Record<string, number>>

/** An event that this release does not know. The state after it cannot be computed here. */
export class UnknownEvent extends Error {
  readonly kind: string
  /** `<type>@<v>` */
  readonly event: string

  constructor(kind: string, { type, v }: EventShape) {
    super(`${kind}: this release does not know the event ${type}@${v}; a newer one has written it`)
    this.kind = kind
    this.event = `${type}@${v}`
  }
}

export const knowsEvent = (inventory: Inventory, { type, v }: EventShape): boolean =>
  Object.hasOwn(inventory, type) && Number.isInteger(v) && v >= 1 && v <= (inventory[type] ?? 0)

/** Throws `UnknownEvent` if this release does not know an event of the commit. */
export const checkEvents = (
  { kind, events }: Pick<ActorDefinition, "kind" | "events">,
  commit: Pick<Commit, "events">
): void => {
  for (const event of commit.events) if (!knowsEvent(events, event)) throw new UnknownEvent(kind, event)
}

/** The state after all events of a commit. Throws `UnknownEvent`. */
export const foldCommit = (
  fold: Pick<ActorDefinition, "kind" | "events" | "evolve">,
  state: unknown,
  { at, events }: Pick<Commit, "at" | "events">,
  id: string
): unknown => {
  let next = state
  for (const event of events) {
    if (!knowsEvent(fold.events, event)) throw new UnknownEvent(fold.kind, event)
    next = fold.evolve(next, event, { at, id })
    if (next === undefined) throw new TypeError(`${fold.kind}: evolve makes no state of ${event.type}@${event.v}`)
  }
  return next
}
