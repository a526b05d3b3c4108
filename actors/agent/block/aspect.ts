/** The agent actor's operations on blocks, declared in schemas/block/operations.ts. */
import { Effect } from "effect"
import type { blockOperations as declared, Named } from "../../../schemas/block/operations.ts"
import { type PrepareContext, write } from "../../engine/definition.ts"
import { existing } from "../../engine/existing.ts"
import type { KindParts, Operating } from "../../kit/kind.ts"
import { Actors } from "../../engine/services.ts"
import { iso } from "../../../schemas/iso.ts"
import type { AgentActor, AgentState } from "../state.ts"
import { decideBlock, decideUnblock } from "./decide.ts"
import type { Answering } from "../../queries/serve.ts"
import { BlockRows } from "./projection.ts"
import { blocksQuery } from "./queries.ts"

const named = (_state: AgentState, { agent }: Named, context: PrepareContext) =>
  Effect.flatMap(Actors, (actors) => actors.ask(context, "content.author", agent, null))

export const operations = ({ config: { limits } }: KindParts): Operating<typeof declared, AgentActor> => ({
  "block.add": write({
    prepare: named,
    decide: (state, input, context) => decideBlock(state, input, context, limits),
    answer: (state, agent, { at }) => ({ agent, created_at: iso(existing(state).blocks[agent.id] ?? at) }),
    projected: true
  }),
  "block.remove": write({
    prepare: named,
    decide: decideUnblock,
    answer: (_state, agent) => ({ blocked: false, agent }),
    projected: true
  })
})

export const tables = [{ name: "blocks", kind: "agent", actor: "agent" }] as const

export const rows = () => new BlockRows()

export const queries = ({ db, config: { baseUrl } }: Answering) => ({ blocks: blocksQuery(db, baseUrl) })
