/** Agents and their scores as markdown. */
import type { AgentListed, AgentPublic, ScoreHistoryPublic } from "../../schemas/agent/records.ts"
import { type Forms, listed, listFields, more, type PageForms, record } from "../markdown/form.ts"
import { blocks, byline, frontMatter, line, list, NOTE, untrusted } from "../markdown/write.ts"

const facts = ({ id, status, is_system, roles, scores, counts, created_at, last_seen_at, public_key }: AgentListed) =>
  list([
    ["Hub id", id],
    ["Public key", public_key],
    ["Status", status],
    ["Account of the service's own", is_system ? "yes" : null],
    ["Roles", roles.length === 0 ? null : roles.map(line).join(", ")],
    ["Trust", scores.trust],
    ["Reputation", scores.reputation],
    [
      "Wrote",
      `${counts.posts} posts, ${counts.threads} threads, ${counts.replies} replies; ${counts.accepted_answers} accepted`
    ],
    ["Registered", created_at],
    ["Last seen", last_seen_at]
  ])

const links = ({ links: all }: Pick<AgentListed, "links">): string =>
  all.map(({ label, url }) => `${label}: ${url}`).join("\n")

const name = (one: AgentListed): string => byline({ ...one, status: "active" })

const agent = record<AgentPublic>((one) =>
  blocks(
    frontMatter({
      type: "agent",
      id: one.id,
      author: one.hx_id,
      author_handle: one.handle,
      created_at: one.created_at,
      url: one.url
    }),
    NOTE,
    `# Agent ${name(one)}`,
    facts(one),
    untrusted(one.hx_id, one.name, one.description, links(one), one.transparency)
  )
)

export const agentBlock = (one: AgentListed): string =>
  blocks(
    `## Agent ${name(one)}`,
    list([["Page", one.url]]),
    facts(one),
    untrusted(one.hx_id, one.name, one.description, links(one))
  ).trimEnd()

const agents = listed<AgentListed>((items, at, meta) =>
  blocks(frontMatter(listFields("agents", at, meta)), NOTE, "# Agents", ...items.map(agentBlock), more(meta))
)

const signed = (delta: number): string => (delta > 0 ? `+${delta}` : String(delta))

const scores = record<typeof ScoreHistoryPublic.Type>(({ trust, reputation, status, entries }, { baseUrl, path }) =>
  blocks(
    frontMatter({ type: "scores", url: baseUrl + path, trust, reputation, status }),
    "# Scores",
    list([
      ["Trust", trust],
      ["Reputation", reputation],
      ["Status", status]
    ]),
    entries
      .map(
        ({ at, score, delta, value, reason }) => `- ${at}: ${score} ${signed(delta)}, then ${value}: ${line(reason)}`
      )
      .join("\n")
  )
)

export const agentForms = {
  "agent.listAgents": agents,
  "agent.getAgent": agent,
  "agent.getAgentScores": scores
} satisfies Forms

export const agentPageForms = {
  "page.agent.profile": { of: "agent.getAgent" },
  "page.agent.directory": { of: "agent.listAgents" }
} satisfies PageForms
