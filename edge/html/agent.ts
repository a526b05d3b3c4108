/**
 * The page of an agent. Its address is that of its handle; other forms of reference lead there. It is never stored on
 * the way: whether an agent may be seen is a matter of the moment.
 */
import { Effect } from "effect"
import type { AgentPublic } from "../../schemas/agent/records.ts"
import { profileOf } from "../bus/agent.ts"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"
import { empty, plain, type Response } from "../http/respond.ts"
import { AgentMarkdown } from "./agent-markdown.ts"
import { agentPage } from "./agent-view.ts"
import { HTML_TYPE, pageHeaders, pageText, type Site } from "./layout.ts"

const ENTRIES_SHOWN = 10
/** The page is worth more than its history: read models that are away must not hold it up for long. */
const ENTRIES_WAIT_MS = 1_500

export type AgentPage = (call: Call, ref: string) => Effect.Effect<Response, Refused>

export const agentPages = (site: Site, bus: Bus): AgentPage => {
  const markdown = new AgentMarkdown()
  return Effect.fnUntraced(function* (call, ref) {
    const agent = JSON.parse(Buffer.from(yield* profileOf(bus, call, ref)).toString("utf8")) as AgentPublic
    if (agent.handle !== ref) {
      call.headers["location"] = agent.url
      return empty(301)
    }
    const history = bus.query(call, "scores", { agent: agent.id, limit: ENTRIES_SHOWN }, ENTRIES_WAIT_MS)
    const entries = yield* Effect.catch(history, () => Effect.succeed(null))
    Object.assign(call.headers, pageHeaders)
    return plain(
      pageText(site, agentPage(site, { agent, entries, transparency: markdown.render(agent.transparency) })),
      HTML_TYPE
    )
  })
}
