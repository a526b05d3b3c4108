/**
 * Kind `mail_notice`, id = hash of topic and message id: what the mail provider has told an edge, from there to the mail
 * process that carries it out. It may hold a mail: in the log it stands sealed under a key that those two and the actors
 * alone have.
 */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"
import { FiredTimer } from "../timer.ts"

export const NOTICE_OUTCOMES = ["done", "ignored", "given_up"] as const
export const NoticeOutcome = Schema.Struct({
  outcome: Schema.Literals(NOTICE_OUTCOMES),
  /** Words of ours; `null` if all was done. */
  reason: Schema.NullOr(Schema.String)
})
export type NoticeOutcome = typeof NoticeOutcome.Type

export const noticeOperations = operationsOf("mail_notice", {
  /** `taken`: false if it was taken before. */
  "mail_notice.take": op({
    input: Schema.Struct({ message: Schema.String }),
    output: Schema.Struct({ taken: Schema.Boolean }),
    askedBy: ["edge"]
  }),
  /** The sealed content, for the process that carries it out again. Refused `not_found` if the log has dropped it. */
  "mail_notice.message": op({
    input: Nothing,
    output: Schema.Struct({ sealed: Schema.String }),
    askedBy: ["mail"]
  }),
  "mail_notice.settle": op({ input: NoticeOutcome, output: Nothing, askedBy: ["mail"] }),
  /** It cannot be done now, so it is called for again, or given up if it is too old. Refused `not_found` as above. */
  "mail_notice.put_off": op({
    input: Schema.Struct({ attempt: Schema.Int, reason: Schema.String }),
    output: Schema.Struct({ given_up: Schema.Boolean }),
    askedBy: ["mail"]
  }),
  "mail_notice.timer": op({ input: FiredTimer, output: Nothing, askedBy: [] })
})
