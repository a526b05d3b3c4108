/** Agents that the caller blocks (contract 3, 19). */
import { Effect } from "effect"
import { BlockApi, NamedAgent } from "../../schemas/block/api.ts"
import { invalidField } from "../../schemas/errors.ts"
import { agentOf } from "../bus/agent.ts"
import type { Call } from "../http/call.ts"
import { routesOf } from "../http/handlers.ts"
import { bodyDecoder } from "../http/json.ts"
import { pageMeta, pageOf } from "../http/query.ts"
import { namedBy, refuse, type Refused } from "../http/refused.ts"
import { dataBytes, dataItems } from "../http/respond.ts"
import { own, signer } from "../bus/own.ts"
import type { EdgeParts } from "../kit/parts.ts"

const decodeNamed = bodyDecoder(NamedAgent)
const noAgent = invalidField("agent", "Name the agent, as ?agent= or in a JSON body.", { rule: "required" })

export const routes = ({ bus, lists, config: { hub } }: EdgeParts) => {
  /** Returns the hub id of the agent in the query, or in the body if the query names none. */
  const named = (call: Call, ref: string | undefined): Effect.Effect<string, Refused> =>
    (ref === undefined
      ? Effect.flatMap(decodeNamed(call), ({ agent }) => agentOf(bus, call, agent))
      : agentOf(bus, call, ref)
    ).pipe(namedBy("agent"))

  return routesOf(BlockApi, {
    listMyBlocks: (call, { query }) =>
      Effect.gen(function* () {
        const { id: agent } = yield* signer(bus, call)
        const page = pageOf(query, hub.limits)
        const { items, total } = yield* lists.page(call, "blocks", { ...page, agent })
        return dataItems(items, pageMeta(page, total))
      }),
    block: (call) =>
      Effect.gen(function* () {
        const agent = yield* named(call, undefined)
        return dataBytes(yield* own(bus, call, "block.add", { agent }), 201)
      }),
    unblock: (call, { query }) =>
      Effect.gen(function* () {
        if (query.agent === undefined && call.body.length === 0) return yield* refuse(noAgent)
        const agent = yield* named(call, query.agent)
        return dataBytes(yield* own(bus, call, "block.remove", { agent }))
      })
  })
}
