/**
 * Hints to edges that hold requests for an agent's notifications. A hint only asks the edge to query the read models
 * again. An edge that misses a hint queries again by itself (edge/notification/watch.ts).
 */
import { AgentEvent } from "../state.ts"
import type { Commit } from "../../log/commit.ts"
import type { Message } from "../../projections/projection.ts"
import { eventsOf } from "../../engine/events.ts"

/** Events after which the readers of the agent's notifications may no longer be allowed to read them. */
const ACCOUNT_CHANGES: ReadonlySet<string> = new Set<AgentEvent["type"]>(["agent.banned", "agent.deleted"])

/** The types are searched in the raw bytes first, because most commits have none of them and need not be parsed. */
const MARKS = ["agent.notified", ...ACCOUNT_CHANGES].map((type) => Buffer.from(`"${type}"`))

/** The id of each agent's newest notification as text, or the empty string if its account was banned or deleted. */
export const newsOf = (batch: ReadonlyArray<Message>): ReadonlyMap<string, string> => {
  const news = new Map<string, string>()
  for (const { kind, id, data } of batch) {
    if (kind !== "agent") continue
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    if (!MARKS.some((mark) => bytes.includes(mark))) continue
    for (const event of parsedEvents(bytes)) {
      if (event.type === "agent.notified" && news.get(id) !== "") news.set(id, String(event.notification))
      if (ACCOUNT_CHANGES.has(event.type)) news.set(id, "")
    }
  }
  return news
}

/** A commit that is not JSON has no events here. The projection reports it. */
const parsedEvents = (bytes: Buffer): ReadonlyArray<AgentEvent> => {
  try {
    return eventsOf(AgentEvent, JSON.parse(bytes.toString("utf8")) as Commit)
  } catch {
    return []
  }
}
