/**
 * Counts the news that a person got in one way, and whether one more may be sent. Pure.
 *
 * Invariant: one of several agents takes half of the places at most, so it hides nothing that happens to the others.
 */
import { Schema } from "effect"
import type { RateLimit } from "../../../schemas/limit/bucket.ts"

/** More than any limit counts need not be remembered. `relay_asked_daily` is the largest. */
const NEWS_MAX = 200

/** `at`: unix ms. Oldest first. */
export const News = Schema.Array(Schema.Struct({ at: Schema.Number, agent: Schema.String }))
export type News = typeof News.Type

export const withNews = (news: News, { agent }: { readonly agent: string }, at: number): News =>
  [...news, { at, agent }].slice(-NEWS_MAX)

/** `agents`: how many the person carries. */
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
