/**
 * News of security events that went to a person by one way, and the room for one more. Pure.
 *
 * Invariants
 *  - New owners have one half of the places and everything else has the other. A stranger becomes an owner of an agent
 *    that confirms anybody, and somebody with an agent's key causes the rest: neither hides the other.
 *  - One of several agents takes half of that at most, so it hides nothing that happens to the others.
 */
import { Schema } from "effect"
import type { RateLimit } from "../../../schemas/limit/bucket.ts"
import { OWNER_CONFIRMED } from "../../../schemas/relay/events.ts"

/** More than any limit counts need not be remembered. */
const NEWS_MAX = 200

/** `at`: unix ms. `owner`: a new owner was confirmed. Oldest first. */
export const SecurityNews = Schema.Array(
  Schema.Struct({ at: Schema.Number, agent: Schema.String, owner: Schema.Boolean })
)
export type SecurityNews = typeof SecurityNews.Type

/** An agent, and an event that happened to it. */
export interface About {
  readonly agent: string
  readonly event: string
}

const isOwner = ({ event }: About): boolean => event === OWNER_CONFIRMED

export const withSecurity = (news: SecurityNews, about: About, at: number): SecurityNews =>
  [...news, { at, agent: about.agent, owner: isOwner(about) }].slice(-NEWS_MAX)

/** `agents`: how many the person carries. */
export const hasSecurityRoom = (
  news: SecurityNews,
  about: About,
  at: number,
  { requests, window_seconds }: RateLimit,
  agents: number
): boolean => {
  const half = Math.ceil(requests / 2)
  const share = agents > 1 ? Math.ceil(half / 2) : half
  const alike = news.filter((one) => one.at > at - window_seconds * 1000 && one.owner === isOwner(about))
  return alike.length < half && alike.filter(({ agent }) => agent === about.agent).length < share
}
