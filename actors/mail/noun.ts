import type { Answering } from "../queries/serve.ts"
import { mailAddressKind } from "./address/actor.ts"
import { mailboxKind } from "./box/actor.ts"
import { mailerKind } from "./mailer/actor.ts"
import { mailKind } from "./message/actor.ts"
import { noticeKind } from "./notice/actor.ts"
import { mailProjection } from "./projection.ts"
import { mailEventRowsQuery, mailRowsQuery } from "./queries.ts"
import { mailboxesGo, toldOfMail } from "./reactions.ts"

export const kinds = [mailerKind, mailAddressKind, mailboxKind, mailKind, noticeKind]

export const projections = [mailProjection]

export const reactions = [toldOfMail, mailboxesGo]

export const queries = ({ db }: Answering) => ({
  mail_rows: mailRowsQuery(db),
  mail_event_rows: mailEventRowsQuery(db)
})
