/** Counts of an agent's visible content and of its accepted answers, as part of its state. */
import { Schema } from "effect"
import { Counts } from "../../../schemas/agent/records.ts"
import { event } from "../../engine/events.ts"
import type { Cases, PartOf } from "../part.ts"

export const fields = { counts: Counts }
type Part = PartOf<typeof fields>

export const events = [
  event("agent.counted", 1, {
    of: Schema.Literals(["posts", "threads", "replies", "accepted_answers"]),
    count: Schema.Int
  })
] as const
export type ContentCounted = (typeof events)[number]["Type"]

export const begun = (): Part => ({ counts: { posts: 0, threads: 0, replies: 0, accepted_answers: 0 } })

export const evolve: Cases<Part, ContentCounted> = {
  "agent.counted": ({ counts }, { of, count }) => ({ counts: { ...counts, [of]: count } })
}
