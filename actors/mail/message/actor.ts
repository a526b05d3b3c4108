/** A message: id = its number. The mailbox's commit begins it. */
import { Effect } from "effect"
import { type Refusal } from "../../../schemas/errors.ts"
import { mailOperations } from "../../../schemas/mail/operations.ts"
import { iso } from "../../agent/profile.ts"
import { custom, write } from "../../engine/definition.ts"
import { type Fold, kind } from "../../kind.ts"
import { Actors } from "../../services.ts"
import { openEnvelope, openKey } from "../keys.ts"
import { mailDisabled } from "../mailer/actor.ts"
import { decideExpire, decideRead, noMail } from "./decide.ts"
import { evolveMail, type MailMessageActor, MailMessageEvent, MailMessageState } from "./state.ts"

const fold: Fold<MailMessageActor> = {
  kind: "mail",
  state: MailMessageState,
  initial: null,
  events: MailMessageEvent,
  evolve: evolveMail
}

const failing = (refused: Refusal): Effect.Effect<never, Refusal> => Effect.fail(refused)

export const mailKind = kind(fold, mailOperations, ({ mail, config }) => ({
  onTimer: "mail.timer",
  operations: {
    "mail.look": custom((state, { agent }, context) =>
      Effect.gen(function* () {
        const { id } = context
        if (mail === null) return yield* failing(mailDisabled)
        if (state === null || state.agent !== agent) return yield* failing(noMail.refused)
        const { mailbox, envelope, key, parts, received_at, read_at } = state
        const sealer = yield* mail.of(String(mailbox))
        // With its mailbox it is gone at once, whatever the log still holds, and a node keeps of keys for a moment.
        const actors = yield* Actors
        yield* actors.ask(context, "mailbox.look", String(mailbox), { agent })
        if (sealer === null) return yield* failing(noMail.refused)
        const number = Number(id)
        const summary = openEnvelope(sealer, number, envelope)
        return {
          mail: { ...summary, received_at: iso(received_at), read_at: read_at === null ? null : iso(read_at) },
          mailbox,
          key: openKey(sealer, number, key),
          parts
        }
      })
    ),
    "mail.summary": custom((state, _input, { id }) =>
      Effect.gen(function* () {
        if (mail === null || state === null) return yield* failing(noMail.refused)
        const sealer = yield* mail.of(String(state.mailbox))
        return sealer === null ? yield* failing(noMail.refused) : openEnvelope(sealer, Number(id), state.envelope)
      })
    ),
    "mail.mark_read": write({
      decide: decideRead,
      answer: (state, _reply, { at }) => ({ read_at: iso(state?.read_at ?? at) }),
      projected: true
    }),
    "mail.timer": write({
      decide: decideExpire(config.limits.limits.email.retention_seconds * 1000),
      answer: () => null
    })
  }
}))
