/** A message on its way to one recipient (see state.ts). */
import { Effect } from "effect"
import { notFound } from "../../../schemas/errors.ts"
import { sendingOperations } from "../../../schemas/mail/sending-operations.ts"
import { custom, read, write } from "../../engine/definition.ts"
import { type Fold, kind } from "../../kit/kind.ts"
import { Actors } from "../../engine/services.ts"
import { loggedSeconds } from "../retention.ts"
import { openDropped } from "../keys.ts"
import { mailDisabled } from "../mailer/disabled.ts"
import { blockedBy } from "./blocked.ts"
import {
  decideReport,
  decideRetry,
  decideSettle,
  decideTake,
  decideUnsubscribe,
  isUnsure,
  RETRY_TIMER
} from "./decide.ts"
import { evolveMailSending, type MailSendingActor, MailSendingEvent, MailSendingState } from "./state.ts"
import type { MailParts } from "../keys.ts"

const fold: Fold<MailSendingActor> = {
  kind: "mail_sending",
  ends: true,
  state: MailSendingState,
  initial: null,
  events: MailSendingEvent,
  evolve: evolveMailSending
}

const noSending = notFound("message")

export const mailSendingKind = kind(fold, sendingOperations, ({ mail, restored, config }: MailParts) => {
  const { email } = config.limits.limits
  return {
    keepSeconds: () => loggedSeconds(email),
    onTimer: { [RETRY_TIMER]: "mail_sending.timer" },
    operations: {
      "mail_sending.take": write({
        decide: (state, input, context) => decideTake(state, input, isUnsure(state, context.seq, restored)),
        answer: (_state, reply) => reply
      }),
      "mail_sending.share": custom((state) =>
        Effect.gen(function* () {
          if (mail === null) return yield* Effect.fail(mailDisabled)
          const sealer = state === null ? null : yield* mail.of(String(state.mailbox))
          if (state === null || sealer === null) return yield* Effect.fail(noSending)
          const to = openDropped(sealer, state.to).from
          return { agent: state.agent, domain: to.slice(to.lastIndexOf("@") + 1).toLowerCase() }
        })
      ),
      "mail_sending.job": custom((state, _input, context) =>
        Effect.gen(function* () {
          if (mail === null) return yield* Effect.fail(mailDisabled)
          // The job is only returned while an attempt is in progress, or may be.
          if (state === null || !(state.phase === "attempting" || isUnsure(state, context.seq, restored)))
            return yield* Effect.fail(noSending)
          const sealer = yield* mail.of(String(state.mailbox))
          if (sealer === null) return yield* Effect.fail(noSending)
          const actors = yield* Actors
          const outgoing = yield* actors.ask(context, "mail.outgoing", String(state.mail), null)
          const blocked = yield* blockedBy(config, state, outgoing.summary.from.address, context)
          return { mail: state.mail, to: openDropped(sealer, state.to).from, ...outgoing, blocked }
        })
      ),
      "mail_sending.settle": write({
        decide: (state, input, context) => decideSettle(state, input, context, email.queue_retry_seconds),
        answer: () => null
      }),
      "mail_sending.report": write({
        decide: (state, input, context) => decideReport(state, input, isUnsure(state, context.seq, restored)),
        answer: () => null
      }),
      "mail_sending.unsubscribe": write({
        decide: (state, _input, context) => decideUnsubscribe(state, isUnsure(state, context.seq, restored)),
        answer: () => null
      }),
      "mail_sending.look": read((state) =>
        state === null
          ? { refused: noSending }
          : { data: { status: state.status, detail: state.detail, unknown: state.unknown } }
      ),
      "mail_sending.timer": write({
        decide: (state, fired, context) => decideRetry(state, fired, context, isUnsure(state, context.seq, restored)),
        answer: () => null
      })
    }
  }
})
