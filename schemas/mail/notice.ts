/**
 * Kind `mail_notice`, id = hash of topic and message id: what the mail provider has told an edge, from there to the mail
 * process that carries it out. It may hold a mail: in the log it stands sealed under a key that those two and the actors
 * alone have.
 */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"

export const NOTICE_OUTCOMES = ["done", "ignored", "given_up"] as const
export const NoticeOutcome = Schema.Struct({
  outcome: Schema.Literals(NOTICE_OUTCOMES),
  /** Words of ours; `null` where all was done. */
  reason: Schema.NullOr(Schema.String)
})
export type NoticeOutcome = typeof NoticeOutcome.Type

export const noticeOperations = operationsOf("mail_notice", {
  /** `taken`: false where it was taken before. */
  "mail_notice.take": op({
    input: Schema.Struct({ message: Schema.String }),
    output: Schema.Struct({ taken: Schema.Boolean }),
    askedBy: ["edge"]
  }),
  "mail_notice.settle": op({ input: NoticeOutcome, output: Nothing, askedBy: ["mail"] })
})
