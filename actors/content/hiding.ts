/**
 * Operators hide posts, threads and replies, and restore them (contract 12, 19). Pure.
 *
 * Invariants
 *  - Hidden content is not removed: its author sees it and may remove it. Meanwhile nobody can vote on it, answer it or
 *    edit it.
 *  - Hiding subtracts its votes and five more points from its author's score. Restoring adds the five points and the
 *    remaining votes. Votes of an agent that was banned meanwhile are gone by then.
 *  - If it is removed while it is hidden, nothing is subtracted a second time.
 */
import { Schema } from "effect"
import type { Caller } from "../../schemas/content/author.ts"
import { notFound, refusal } from "../../schemas/errors.ts"
import type { Decision } from "../engine/definition.ts"
import type { EventShape } from "../log/commit.ts"
import { type Tally, tallied, completeTally } from "./ballot.ts"

export const Hidden = Schema.Struct({ by: Schema.String, reason: Schema.String })
export type Hidden = typeof Hidden.Type

export const hiddenFields = { author: Schema.String, by: Schema.String, reason: Schema.String, ...tallied }
export const restoredFields = { author: Schema.String, by: Schema.String, ...tallied }

export interface HiddenBy extends Tally, Hidden {
  readonly author: string
}

export interface RestoredBy extends Tally {
  readonly author: string
  readonly by: string
}

export interface Hideable extends Required<Tally> {
  readonly author: string
  readonly deleted: boolean
  readonly hidden: Hidden | null
}

const forOperators = { refused: refusal("operator_required", "Only an operator may do that.") }

/** The refusal for the author of hidden content. */
export const isHidden = {
  refused: refusal("operator_required", "An operator has hidden this: you may remove it, not change it.")
}

/** True for readers for whom hidden content does not exist: all except its author and operators. */
export const isForeign = ({ hidden, author }: Pick<Hideable, "hidden" | "author">, by: Caller): boolean =>
  hidden !== null && author !== by.agent && !by.operator

export interface HideInput {
  readonly by: Caller
  readonly hidden: boolean
  readonly reason: string | null
}

export const decideHideOf =
  <State extends Hideable, Event extends EventShape>(
    noun: string,
    hid: (fields: HiddenBy) => Event,
    restored: (fields: RestoredBy) => Event
  ) =>
  (state: State | null, { by, hidden, reason }: HideInput): Decision<Event> => {
    if (state === null || state.deleted) return { refused: notFound(noun) }
    if (!by.operator) return isForeign(state, by) ? { refused: notFound(noun) } : forOperators
    if ((state.hidden !== null) === hidden) return { events: [] }
    const fields = { author: state.author, by: by.agent, ...completeTally(state) }
    return { events: [hidden ? hid({ ...fields, reason: reason ?? "by an operator" }) : restored(fields)] }
  }
