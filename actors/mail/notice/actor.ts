/** What the provider told, once for each of its messages (state.ts); declared in schemas/mail/notice.ts. */
import { Effect } from "effect"
import { noticeOperations } from "../../../schemas/mail/notice.ts"
import { write } from "../../engine/definition.ts"
import { type Fold, kind } from "../../kind.ts"
import { mailDisabled } from "../mailer/disabled.ts"
import { decideSettle, decideTake } from "./decide.ts"
import { evolveNotice, type NoticeActor, NoticeEvent, NoticeState } from "./state.ts"

const fold: Fold<NoticeActor> = {
  kind: "mail_notice",
  state: NoticeState,
  initial: null,
  events: NoticeEvent,
  evolve: evolveNotice
}

export const noticeKind = kind(fold, noticeOperations, ({ mail, config }) => ({
  keepSeconds: config.limits.service.mail.notice_kept_seconds,
  operations: {
    "mail_notice.take": write({
      prepare: (state, { message }, { id }) => {
        if (mail === null) return Effect.fail(mailDisabled)
        return Effect.sync(() => ({ sealed: state === null ? mail.sealNotice(id, message) : null }))
      },
      decide: (state, _input, context) => decideTake(state, context),
      answer: (_state, reply) => reply
    }),
    "mail_notice.settle": write({ decide: decideSettle, answer: () => null })
  }
}))
