/** The blocks of an agent, as part of its state. */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"
import type { Cases, PartOf } from "../part.ts"

/** The hub ids of blocked agents, with the time at which each block began (Unix ms). */
export const fields = { blocks: Schema.Record(Schema.String, Schema.Number) }
type Part = PartOf<typeof fields>

export const events = [
  event("agent.blocked", 1, { agent: Schema.String }),
  event("agent.unblocked", 1, { agent: Schema.String })
] as const

export const empty: Part = { blocks: {} }

export const evolve: Cases<Part, (typeof events)[number]["Type"]> = {
  /** Blocking an agent again does not change the time at which the block began. */
  "agent.blocked": ({ blocks }, { agent }, at) => ({ blocks: { ...blocks, [agent]: blocks[agent] ?? at } }),
  "agent.unblocked": ({ blocks }, { agent }) => {
    const { [agent]: _since, ...others } = blocks
    return { blocks: others }
  }
}
