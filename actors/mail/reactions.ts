/**
 * Reactions of mail: they notify agents of received mail, bounces and complaints, suppress addresses, and end the mail
 * of deleted and banned agents.
 */
import { AgentEvent } from "../agent/noun.ts"
import { on, reactions, commandFor } from "../reactions/reaction.ts"
import type { SUPPRESSIONS } from "../../schemas/mail/sending-operations.ts"
import { MailboxEvent } from "./box/state.ts"
import { MailerEvent } from "./mailer/state.ts"
import { MailSendingEvent } from "./sending/state.ts"

export const mailNotifications = reactions(
  "mail_told",
  on("mailbox", MailboxEvent, (event, { id }) =>
    event.type === "mailbox.received"
      ? [
          commandFor("notification.tell", event.agent, {
            about: "email.received",
            payload: receivedPayload(event.mail, Number(id))
          })
        ]
      : []
  )
)

/** Notifies the agent that the mailbox has no room left for mail of unauthenticated senders. */
export const fullMailboxNotifications = reactions(
  "mail_full_told",
  on("mailbox", MailboxEvent, (event, { id }) => {
    if (event.type !== "mailbox.received" || event.filled !== true) return []
    const path = `/api/v1/email/mailboxes/${id}`
    const payload = { mailbox: { id: Number(id) }, url: path, api_url: path }
    return [commandFor("notification.tell", event.agent, { about: "email.mailbox_full", payload })]
  })
)

/** The notification's content is added when it is read (schemas/notification/completed.ts). */
const receivedPayload = (mail: number, mailbox: number) => {
  const path = `/api/v1/email/messages/em_${mail}`
  return { message_id: `em_${mail}`, mailbox: { id: mailbox }, url: path, api_url: path }
}

export const closeMailboxesOfDeleted = reactions(
  "mail_ended",
  on("agent", AgentEvent, (event, { id }) =>
    event.type === "agent.deleted" ? [commandFor("mailer.close_all", id, null)] : []
  )
)

/**
 * Has the mail of banned agents erased later. This is a separate set of reactions, so that it also handles agents that
 * were banned before it existed.
 */
export const eraseMailOfBanned = reactions(
  "mail_banned",
  on("agent", AgentEvent, (event, { id, at }) =>
    event.type === "agent.banned" ? [commandFor("mailer.banned", id, { at })] : []
  )
)

const BAD: ReadonlySet<string> = new Set(["bounced", "complained"])

/**
 * Counts a bounce or complaint in the sender's `mailer` actor, which adds it to the service's total. Suppresses the
 * recipient's address, except after a bounce inside the service. A recipient who unsubscribes is suppressed too.
 */
export const countBounces = reactions(
  "mail_counted",
  on("mail_sending", MailSendingEvent, (event) => {
    if (event.type === "mail_sending.unsubscribed") return suppressed(event, "unsubscribed")
    const type = badOf(event)
    if (type === null || !("recipient" in event)) return []
    const isOwn = event.own === true
    const counted = commandFor("mailer.count", event.agent, { type, ...(isOwn ? { own: true } : {}) })
    // For its own addresses, the service knows at each attempt which of them exist.
    return isOwn && type === "bounced" ? [counted] : [...suppressed(event, type), counted]
  })
)

type ToldRecipient = Pick<Extract<MailSendingEvent, { recipient: string }>, "recipient" | "sealed" | "untagged">

/**
 * Suppresses an address and, after a complaint or an unsubscription, the same address without its tag. A bounce says
 * nothing about other tags.
 */
const suppressed = ({ recipient, sealed, untagged }: ToldRecipient, reason: (typeof SUPPRESSIONS)[number]) =>
  [{ recipient, sealed }, ...(untagged === undefined || reason === "bounced" ? [] : [untagged])].map((one) =>
    commandFor("mail_recipient.suppress", one.recipient, { reason, sealed: one.sealed })
  )

const badOf = (event: MailSendingEvent): "bounced" | "complained" | null =>
  (event.type === "mail_sending.settled" || event.type === "mail_sending.reported") && BAD.has(event.status)
    ? (event.status as "bounced" | "complained")
    : null

/** The addresses are added by their numbers when the notification is read. */
export const sendingNotifications = reactions(
  "mail_sent_told",
  on("mail_sending", MailSendingEvent, (event) => {
    const type = badOf(event)
    if (type === null || !("detail" in event)) return []
    const { agent, mail, n, detail } = event
    const path = `/api/v1/email/messages/em_${mail}`
    const payload = { message_id: `em_${mail}`, recipients: [n], provider_reason: detail, url: path, api_url: path }
    return [commandFor("notification.tell", agent, { about: `email.${type}`, payload })]
  }),
  on("mailer", MailerEvent, (event, { id }) => {
    if (event.type !== "mailer.suspended") return []
    const { bounce_rate, bounces, complaints, window_days } = event
    const path = "/api/v1/email"
    const payload = { bounce_rate, bounces, complaints, window_days, url: path, api_url: path }
    return [commandFor("notification.tell", id, { about: "email.sending_suspended", payload })]
  })
)
