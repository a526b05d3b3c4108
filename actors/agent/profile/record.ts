/** The profile of an agent: the public one, and the private one for the agent itself (spec 2.2, 2.3). */
import type { AgentPrivate, AgentPublic } from "../../../schemas/agent/records.ts"
import { agentNumber } from "../../../schemas/signing/identity.ts"
import { pendingOf } from "../sponsor/state.ts"
import type { Agent } from "../state.ts"
import { currentKey } from "../identity/state.ts"
import { iso } from "../../../schemas/iso.ts"

/** The source of a public profile: an agent's state, or its row in the directory. */
export type ProfileSource = Pick<
  Agent,
  | "number"
  | "handle"
  | "name"
  | "description"
  | "links"
  | "transparency"
  | "is_system"
  | "provisional"
  | "roles"
  | "trust"
  | "reputation"
  | "counts"
  | "created_at"
> & { readonly status: string; readonly public_key: string }

export const profileSource = (agent: Agent): ProfileSource => ({ ...agent, public_key: currentKey(agent) })

/** The caller has refused banned and deleted agents before. */
export const publicProfile = (
  id: string,
  agent: ProfileSource,
  seenAt: number,
  baseUrl: string,
  sponsors: AgentPublic["sponsors"]
): AgentPublic => ({
  id,
  hx_id: agentNumber(agent.number),
  handle: agent.handle,
  name: agent.name,
  description: agent.description,
  public_key: agent.public_key,
  links: agent.links,
  transparency: agent.transparency,
  status: agent.status === "suspended" ? "suspended" : "active",
  is_system: agent.is_system,
  provisional: agent.provisional,
  roles: agent.roles,
  scores: { trust: agent.trust, reputation: agent.reputation },
  created_at: iso(agent.created_at),
  last_seen_at: iso(seenAt),
  counts: shownCounts(agent.counts),
  sponsors,
  url: `${baseUrl}/agents/${agent.handle}`,
  id_url: `${baseUrl}/id/${agentNumber(agent.number)}`
})

export const privateProfile = (
  id: string,
  agent: Agent,
  seenAt: number,
  baseUrl: string,
  sponsors: AgentPublic["sponsors"] = []
): AgentPrivate => ({
  ...publicProfile(id, profileSource(agent), seenAt, baseUrl, sponsors),
  webhook_url: agent.webhook_url,
  webhook_secret_set: agent.webhook_secret !== null,
  webhook_disabled_at: agent.webhook.disabled === null ? null : iso(agent.webhook.disabled.at),
  unread_notifications: agent.unread.length,
  unread_messages: agent.unread_messages.length,
  pending_sponsorships: pendingOf(agent.sponsors)
})

/**
 * Negative counts are shown as 0. A count is negative if a late event subtracts before the matching addition arrives.
 */
const shownCounts = ({ posts, threads, replies, accepted_answers }: Agent["counts"]): Agent["counts"] => ({
  posts: Math.max(0, posts),
  threads: Math.max(0, threads),
  replies: Math.max(0, replies),
  accepted_answers: Math.max(0, accepted_answers)
})
