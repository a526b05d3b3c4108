/**
 * Hints to edges with requests that wait for an agent's notifications. A hint only says to look again: the read models
 * have the truth, and an edge without a hint looks again by itself (edge/notification/watch.ts).
 */
import { AgentEvent } from "../state.ts"
import type { Commit } from "../../log/commit.ts"
import type { Message } from "../../projections/projection.ts"
import { eventsOf } from "../../engine/events.ts"

/** Events after which the readers of the agent's notifications may have lost their right. */
const ACCOUNT_CHANGES: ReadonlySet<string> = new Set<AgentEvent["type"]>(["agent.banned", "agent.deleted"])

/** Most commits hold nothing of this, and are not worth being parsed for it. */
const MARKS = ["agent.notified", ...ACCOUNT_CHANGES].map((type) => Buffer.from(`"${type}"`))

/** The id of each agent's newest notification as text, or nothing if its account changed. */
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

/** If a commit is no JSON, the projection has already noted that. */
const parsedEvents = (bytes: Buffer): ReadonlyArray<AgentEvent> => {
  try {
    return eventsOf(AgentEvent, JSON.parse(bytes.toString("utf8")) as Commit)
  } catch {
    return []
  }
}
