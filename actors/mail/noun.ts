import type { Answering } from "../queries/serve.ts"
import { mailAddressKind } from "./address/actor.ts"
import { mailboxKind } from "./box/actor.ts"
import { mailerKind } from "./mailer/actor.ts"
import { mailKind } from "./message/actor.ts"
import { noticeKind } from "./notice/actor.ts"
import { mailProjection } from "./projection.ts"
import {
  mailEventRowsQuery,
  mailRowsQuery,
  mailSuppressionRowsQuery,
  mailThreadOfQuery,
  mailThreadRowsQuery
} from "./queries.ts"
import {
  eraseMailOfBanned,
  fullMailboxNotifications,
  closeMailboxesOfDeleted,
  countBounces,
  sendingNotifications,
  mailNotifications
} from "./reactions.ts"
import { mailRecipientKind } from "./recipient/actor.ts"
import { mailSendingKind } from "./sending/actor.ts"
import { mailServiceKind } from "./service/actor.ts"

export const kinds = [
  mailerKind,
  mailAddressKind,
  mailboxKind,
  mailKind,
  mailSendingKind,
  mailRecipientKind,
  mailServiceKind,
  noticeKind
]

export const projections = [mailProjection]

export const reactions = [
  mailNotifications,
  fullMailboxNotifications,
  closeMailboxesOfDeleted,
  eraseMailOfBanned,
  countBounces,
  sendingNotifications
]

export const queries = ({ db }: Answering) => ({
  mail_rows: mailRowsQuery(db),
  mail_thread_rows: mailThreadRowsQuery(db),
  mail_thread_of: mailThreadOfQuery(db),
  mail_event_rows: mailEventRowsQuery(db),
  mail_suppression_rows: mailSuppressionRowsQuery(db)
})

export { DnsQuestions, hostName, type DnsAnswers } from "./dns.ts"
export { mayBeEarly } from "./early.ts"
export { MAIL_KEY_NAMES, mailKeysWith, type MailParts } from "./keys.ts"
export { mailDisabled } from "./mailer/disabled.ts"
export { openedQueries } from "./opened.ts"
export type { Transport } from "./outbound/transport.ts"
export { externalTransport as worldTransport } from "./outbound/world.ts"
export type { ProviderBounds } from "./ses/client.ts"
export type { Identities, Identity, ProviderFault } from "./ses/identities.ts"
export { mailsBy } from "./summaries.ts"
