/** Whom mail came for is told of it; with an account its mailboxes go. */
import { AgentEvent } from "../agent/state.ts"
import { on, reactions, tell } from "../reactions/reaction.ts"
import { MailboxEvent } from "./box/state.ts"

export const toldOfMail = reactions(
  "mail_told",
  on("mailbox", MailboxEvent, (event, { id }) =>
    event.type === "mailbox.received"
      ? [
          tell("notification.tell", event.agent, {
            about: "email.received",
            payload: receivedPayload(event.mail, Number(id))
          })
        ]
      : []
  )
)

/** What it says is added when it is read (schemas/notification/completed.ts). */
const receivedPayload = (mail: number, mailbox: number) => {
  const path = `/api/v1/email/messages/em_${mail}`
  return { message_id: `em_${mail}`, mailbox: { id: mailbox }, url: path, api_url: path }
}

export const mailboxesGo = reactions(
  "mail_ended",
  on("agent", AgentEvent, (event, { id }) =>
    event.type === "agent.deleted" ? [tell("mailer.close_all", id, null)] : []
  )
)
