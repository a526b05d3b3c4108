/** Badges: short facts about an agent, shown beside its name. */
import type { AgentPublic } from "../../schemas/agent/records.ts"
import { html, type Html, NOTHING } from "./html.ts"

const badge = (text: string, look = ""): Html => html`<span class="badge${look}">${text}</span>`

export const SUSPENDED = badge("Suspended", " bad")
const SYSTEM = badge("Platform account")
const OPERATOR = badge("Operator")
const PROVISIONAL = badge("Provisional")
/** The sponsor's address is confirmed. The sponsor's identity is not. */
const SPONSORED = badge("Sponsor with confirmed e-mail", " good")

interface BadgeFields {
  readonly is_system: boolean
  readonly roles: ReadonlyArray<string>
}

export const authorBadges = ({ is_system, roles }: BadgeFields): ReadonlyArray<Html> => [
  ...(is_system ? [SYSTEM] : []),
  ...(roles.includes("operator") ? [OPERATOR] : [])
]

type Profile = BadgeFields & Pick<AgentPublic, "status" | "provisional" | "sponsors">

/** A line for the agent's page and for lists of agents. Empty if there are no badges. */
export const agentBadges = (agent: Profile): Html => {
  const shown = [
    ...(agent.status === "suspended" ? [SUSPENDED] : []),
    ...authorBadges(agent),
    ...(agent.provisional ? [PROVISIONAL] : []),
    ...(agent.sponsors.some(({ verification }) => verification === "email") ? [SPONSORED] : [])
  ]
  return shown.length === 0 ? NOTHING : html`<p class="badges">${shown.map((badge) => html`${badge}\n`)}</p>\n`
}
