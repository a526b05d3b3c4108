/** Notifies agents of failed domains. Closes mailboxes when their domain ends, and ends a domain with its account. */
import { AgentEvent } from "../agent/noun.ts"
import { on, reactions, commandFor } from "../reactions/reaction.ts"
import { MailDomainEvent } from "./state.ts"

export const domainNotifications = reactions(
  "mail_domain_told",
  on("mail_domain", MailDomainEvent, (event) => {
    if (event.type !== "mail_domain.failing" && event.type !== "mail_domain.downgraded") return []
    const { agent, domain, missing } = event
    const path = `/api/v1/email/domains/${domain}`
    const payload = { domain, missing, url: path, api_url: path }
    return [
      event.type === "mail_domain.failing"
        ? commandFor("notification.tell", agent, {
            about: "email.domain_failing",
            payload: { ...payload, days_left: event.days_left }
          })
        : commandFor("notification.tell", agent, { about: "email.domain_downgraded", payload })
    ]
  })
)

export const domainMailboxesGo = reactions(
  "mail_domain_closed",
  on("mail_domain", MailDomainEvent, (event) => {
    if (event.type === "mail_domain.released") {
      const { agent, domain, claim } = event
      return [commandFor("mailer.close_domain", agent, { domain, claim })]
    }
    if (event.type !== "mail_domain.declared" || event.from === null) return []
    const { from, domain, claim } = event
    return [commandFor("mailer.close_domain", from, { domain, claim: claim - 1 })]
  })
)

export const domainsGo = reactions(
  "mail_domain_ended",
  on("agent", AgentEvent, (event, { id }) =>
    event.type === "agent.deleted" ? [commandFor("mail_domain_holder.end", id, null)] : []
  )
)
