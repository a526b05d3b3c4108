/** The blocks of an agent, as part of its state. Pure. */
import { Schema } from "effect"
import { event } from "../../engine/events.ts"

/** Blocked agents by hub id, with the time since when (unix ms). */
export const Blocks = Schema.Record(Schema.String, Schema.Number)
export type Blocks = typeof Blocks.Type

export const NO_BLOCKS: Blocks = {}

/** The agent's events that change its blocks. */
export const BLOCK_EVENTS = [
  event("agent.blocked", 1, { agent: Schema.String }),
  event("agent.unblocked", 1, { agent: Schema.String })
] as const
export type BlockEvent = (typeof BLOCK_EVENTS)[number]["Type"]

/** Blocked again, the first time stays. */
export const evolveBlocks = (blocks: Blocks, { type, agent }: BlockEvent, at: number): Blocks => {
  const { [agent]: since = at, ...others } = blocks
  return type === "agent.blocked" ? { ...others, [agent]: since } : others
}

/**
 * True if an agent blocks another (hub id): its messages are refused, its mentions and replies do not notify (contract
 * 19).
 */
export const blocks = ({ blocks: all }: { readonly blocks: Blocks }, other: string): boolean =>
  Object.hasOwn(all, other)
