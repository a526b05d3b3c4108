/** Decisions on blocks (contract 3, 19). Pure. */
import type { Named } from "../../../schemas/block/operations.ts"
import type { Author } from "../../../schemas/content/author.ts"
import { aboveMax, invalidField } from "../../../schemas/errors.ts"
import type { Limits } from "../../../schemas/limits.ts"
import type { Decision } from "../../engine/definition.ts"
import { missing, unlessSuspended } from "../decide.ts"
import type { Agent, AgentEvent } from "../state.ts"

/** `id` is the hub id of the agent that blocks. `facts` is the other agent's author record. */
interface Context {
  readonly id: string
  readonly facts: Author
}

/**
 * True if the agent blocks the other one, given by hub id. Messages from a blocked agent are refused, and its mentions
 * and replies do not notify (contract 19).
 */
export const blocks = ({ blocks: all }: Pick<Agent, "blocks">, other: string): boolean => Object.hasOwn(all, other)

const oneself = invalidField("agent", "Nobody blocks himself.")

const tooMany = (max: number) =>
  aboveMax("agent", `You block ${max} agents, and that is the most. Take one of them back first.`, max)

/** Blocks another agent. A deleted agent can be blocked (contract 22). A banned one is refused as not found. */
export const decideBlock = unlessSuspended(
  (agent, { agent: other }: Named, { id, facts }: Context, { limits }: Limits): Decision<AgentEvent, Author> => {
    if (other === id) return { refused: oneself }
    if (blocks(agent, other)) return { events: [], reply: facts }
    if (facts.status === "banned") return missing
    if (Object.keys(agent.blocks).length >= limits.blocks_max) return { refused: tooMany(limits.blocks_max) }
    return { events: [{ type: "agent.blocked", v: 1, agent: other }], reply: facts }
  }
)

export const decideUnblock = unlessSuspended(
  (agent, { agent: other }: Named, { facts }: Context): Decision<AgentEvent, Author> => ({
    events: blocks(agent, other) ? [{ type: "agent.unblocked", v: 1, agent: other }] : [],
    reply: facts
  })
)
