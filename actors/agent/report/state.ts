/** The latest reports that an agent filed, and the latest that took effect on it, as part of its state. */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"
import type { Suspended } from "../moderation/state.ts"
import type { Cases, PartOf } from "../part.ts"

export const fields = {
  /** Unix ms of the latest reports that the agent filed, oldest first. The daily limit counts them. */
  reported: Schema.Array(Schema.Number),
  /** Numbers of the latest reports that took effect on the agent, oldest first. Each takes effect once. */
  outcomes: Schema.Array(Schema.Number)
}
type Part = PartOf<typeof fields>

export const events = [
  /** The report's own actor has its content. */
  event("agent.reported", 1, { report: Schema.Int }),
  /** A report about the agent was upheld. Its score entries are in the same commit. */
  event("agent.report_upheld", 1, { report: Schema.Int })
] as const

/** The most times that are remembered. It is above the daily limit. */
const REPORTED_MAX = 100

/**
 * The most outcomes that are remembered. Operators decide fewer reports on one agent in the minutes in which an outcome
 * may be sent again.
 */
const OUTCOMES_MAX = 100

export const empty: Part = { reported: [], outcomes: [] }

/** `report` is absent in events of older releases. */
const tookEffect = ({ outcomes }: Part, { report }: { readonly report?: number }): Partial<Part> =>
  report === undefined || outcomes.includes(report) ? {} : { outcomes: [...outcomes, report].slice(-OUTCOMES_MAX) }

export const evolve: Cases<Part, (typeof events)[number]["Type"] | Suspended> = {
  "agent.reported": ({ reported }, _event, at) => ({ reported: [...reported, at].slice(-REPORTED_MAX) }),
  "agent.report_upheld": tookEffect,
  "agent.suspended": tookEffect
}
