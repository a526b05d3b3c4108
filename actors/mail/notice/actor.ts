/**
 * The actor of a provider's notice, one for each of its messages (state.ts). Its operations are declared in
 * schemas/mail/notice.ts.
 */
import { Effect } from "effect"
import { noticeOperations } from "../../../schemas/mail/notice.ts"
import { unavailable } from "../../../schemas/errors.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { custom, write } from "../../engine/definition.ts"
import { eventsOf } from "../../engine/events.ts"
import { type Fold, kind } from "../../kit/kind.ts"
import { subjects } from "../../../schemas/subjects.ts"
import { mailDisabled } from "../mailer/disabled.ts"
import {
  AGAIN_TIMER,
  decidePutOff,
  decideSettle,
  decideTake,
  decideTimer,
  NOBODY,
  noNotice,
  OVER_TIMER
} from "./decide.ts"
import { evolveNotice, type NoticeActor, NoticeEvent, NoticeState } from "./state.ts"
import type { MailParts } from "../keys.ts"

const fold: Fold<NoticeActor> = {
  kind: "mail_notice",
  ends: true,
  state: NoticeState,
  initial: null,
  events: NoticeEvent,
  evolve: evolveNotice
}

const notRead = unavailable("The log cannot be read at the moment.")

export const noticeKind = kind(fold, noticeOperations, ({ mail, config, log }: MailParts) => ({
  keepSeconds: () => config.limits.service.mail.notice_kept_seconds,
  onTimer: { [AGAIN_TIMER]: "mail_notice.timer", [OVER_TIMER]: "mail_notice.timer" },
  operations: {
    "mail_notice.take": write({
      prepare: (state, { message }, { id }) => {
        if (mail === null) return Effect.fail(mailDisabled)
        return Effect.sync(() => ({ sealed: state === null ? mail.sealNotice(id, message) : null }))
      },
      decide: (state, _input, context) => decideTake(state, context, config.limits.service.mail),
      answer: (_state, reply) => reply
    }),
    "mail_notice.message": custom((_state, _input, { id }) =>
      Effect.gen(function* () {
        // The state does not have the content, which may be as large as a mail.
        const { entries } = yield* Effect.tryPromise({
          try: () => log.read(subjects.event("mail_notice", id), 0, 1),
          catch: () => notRead
        })
        const events = entries.slice(0, 1).flatMap(({ commit }) => eventsOf(NoticeEvent, commit))
        const taken = events.find((event) => event.type === "mail_notice.taken")
        return taken === undefined ? yield* Effect.fail(noNotice.refused) : { sealed: taken.sealed }
      })
    ),
    "mail_notice.settle": write({ decide: decideSettle, answer: () => null }),
    "mail_notice.put_off": write({
      decide: (state, input, context) => decidePutOff(state, input, context, config.limits.service.mail),
      answer: (_state, reply) => reply
    }),
    "mail_notice.timer": write({
      decide: decideTimer,
      answer: () => null,
      // No worker is left that could log it.
      after: ({ name }, { id }) =>
        name === OVER_TIMER ? Effect.sync(() => logNow("warn", "mail", { notice: id, given_up: NOBODY })) : Effect.void
    })
  }
}))
