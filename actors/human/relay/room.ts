/**
 * Counts the news that a person got through one channel, and decides whether one more may be sent. Pure.
 *
 * Invariant: one of several agents takes at most half of the places (rounded up), so that it cannot hide news of the
 * others.
 */
import { Schema } from "effect"
import type { RateLimit } from "../../../schemas/limit/bucket.ts"

/** As large as the largest limit (`relay_asked_daily`), so no further entries need to be remembered. */
const NEWS_MAX = 200

/** The news that were sent, the oldest first. `at`: Unix ms. */
export const News = Schema.Array(Schema.Struct({ at: Schema.Number, agent: Schema.String }))
export type News = typeof News.Type

export const withNews = (news: News, { agent }: { readonly agent: string }, at: number): News =>
  [...news, { at, agent }].slice(-NEWS_MAX)

/** `agents`: the number of agents that the person sponsors. */
export const hasPlace = (
  news: News,
  { agent }: { readonly agent: string },
  at: number,
  { requests, window_seconds }: RateLimit,
  agents: number
): boolean => {
  const share = agents > 1 ? Math.ceil(requests / 2) : requests
  const recent = news.filter((one) => one.at > at - window_seconds * 1000)
  return recent.length < requests && recent.filter((one) => one.agent === agent).length < share
}
