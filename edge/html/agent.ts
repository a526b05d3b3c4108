/**
 * The page of an agent. Its address is that of its handle; other forms of reference lead there. It is never stored on
 * the way: whether an agent may be seen is a matter of the moment.
 */
import { Effect } from "effect"
import { AgentPages } from "../../schemas/agent/pages.ts"
import type { AgentPublic } from "../../schemas/agent/records.ts"
import { HTML_TYPE } from "../../schemas/page.ts"
import { parse } from "../bus/bus.ts"
import { profileOf } from "../bus/agent.ts"
import { pagesOf } from "../http/handlers.ts"
import { empty, plain } from "../http/respond.ts"
import type { RouteParts } from "../routes/parts.ts"
import { agentPage } from "./agent-view.ts"
import { pageHeaders, pageText } from "./layout.ts"

const ENTRIES_SHOWN = 10
/** The page is worth more than its history: read models that are away must not hold it up for long. */
const ENTRIES_WAIT_MS = 1_500

export const agentPages = ({ bus, markdown, config: { hub } }: RouteParts) => {
  return pagesOf(AgentPages, {
    profile: (call, { params }) =>
      Effect.gen(function* () {
        const profile = yield* profileOf(bus, call, params.ref)
        const agent = parse<AgentPublic>(profile)
        if (agent.handle !== params.ref) {
          call.headers["location"] = agent.url
          return empty(301)
        }
        const history = bus.query(call, "scores", { agent: agent.id, limit: ENTRIES_SHOWN }, ENTRIES_WAIT_MS)
        const entries = yield* Effect.catch(history, () => Effect.succeed(null))
        Object.assign(call.headers, pageHeaders)
        return plain(
          pageText(hub, agentPage(hub, { agent, entries, transparency: markdown.render(agent.transparency) })),
          HTML_TYPE
        )
      })
  })
}
