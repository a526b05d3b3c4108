/** Whose domain fails is told of it; mailboxes go with their domain, and a domain with its account. */
import { AgentEvent } from "../agent/state.ts"
import { on, reactions, tell } from "../reactions/reaction.ts"
import { MailDomainEvent } from "./state.ts"

export const toldOfDomains = reactions(
  "mail_domain_told",
  on("mail_domain", MailDomainEvent, (event) => {
    if (event.type === "mail_domain.failing") {
      const { agent, domain, missing, days_left } = event
      return [
        tell("notification.tell", agent, { about: "email.domain_failing", payload: { domain, missing, days_left } })
      ]
    }
    if (event.type !== "mail_domain.downgraded") return []
    const { agent, domain, missing } = event
    return [tell("notification.tell", agent, { about: "email.domain_downgraded", payload: { domain, missing } })]
  })
)

export const domainMailboxesGo = reactions(
  "mail_domain_closed",
  on("mail_domain", MailDomainEvent, (event) => {
    if (event.type === "mail_domain.released") {
      const { agent, domain, claim } = event
      return [tell("mailer.close_domain", agent, { domain, claim })]
    }
    if (event.type !== "mail_domain.declared" || event.from === null) return []
    const { from, domain, claim } = event
    return [tell("mailer.close_domain", from, { domain, claim: claim - 1 })]
  })
)

export const domainsGo = reactions(
  "mail_domain_ended",
  on("agent", AgentEvent, (event, { id }) =>
    event.type === "agent.deleted" ? [tell("mail_domain_holder.end", id, null)] : []
  )
)
