/** The blocks of an agent, as part of its state. */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"
import type { Cases, PartOf } from "../part.ts"

/** Blocked agents by hub id, with the time since when (unix ms). */
export const fields = { blocks: Schema.Record(Schema.String, Schema.Number) }
type Part = PartOf<typeof fields>

export const events = [
  event("agent.blocked", 1, { agent: Schema.String }),
  event("agent.unblocked", 1, { agent: Schema.String })
] as const

export const empty: Part = { blocks: {} }

export const evolve: Cases<Part, (typeof events)[number]["Type"]> = {
  /** Blocked again, the first time stays. */
  "agent.blocked": ({ blocks }, { agent }, at) => ({ blocks: { ...blocks, [agent]: blocks[agent] ?? at } }),
  "agent.unblocked": ({ blocks }, { agent }) => {
    const { [agent]: _since, ...others } = blocks
    return { blocks: others }
  }
}
