/** The counts of all agents' sent mail (see state.ts). */
import { Effect } from "effect"
import { notFound } from "../../../schemas/errors.ts"
import { serviceOperations } from "../../../schemas/mail/sending-operations.ts"
import { senderAddress } from "../../../schemas/mail/senders.ts"
import { iso } from "../../../schemas/iso.ts"
import { custom, read, write } from "../../engine/definition.ts"
import { type Fold, kind } from "../../kit/kind.ts"
import { Actors, Views } from "../../engine/services.ts"
import { ratesOf } from "../counted.ts"
import { openRecipient, recipientId } from "../keys.ts"
import { mailDisabled } from "../mailer/disabled.ts"
import {
  evolveMailService,
  type MailServiceActor,
  MailServiceEvent,
  MailServiceState,
  NOTHING_SENT,
  paused,
  resumed,
  usedOfDay
} from "./state.ts"
import type { MailParts } from "../keys.ts"

const fold: Fold<MailServiceActor> = {
  kind: "mail_service",
  state: MailServiceState,
  initial: NOTHING_SENT,
  events: MailServiceEvent,
  evolve: evolveMailService
}

const notSuppressed = notFound("suppressed address")

export const mailServiceKind = kind(fold, serviceOperations, ({ mail, config }: MailParts) => {
  const { email } = config.limits.limits
  return {
    operations: {
      "mail_service.look": read((state, _input, { at }) => ({
        data: {
          paused_at: state.paused_at === null ? null : iso(state.paused_at),
          used_day: usedOfDay(state, at),
          ...ratesOf(state.days, at, email.window_days)
        }
      })),
      "mail_service.pause": write({
        decide: (state, _input, { at }) => {
          const changed = state.paused_at === null
          return { events: changed ? [paused(state, at)] : [], reply: { changed } }
        },
        answer: (_state, reply) => reply
      }),
      "mail_service.resume": write({
        decide: (state, _input, { at }) => {
          const changed = state.paused_at !== null
          return { events: changed ? [resumed(state, at)] : [], reply: { changed } }
        },
        answer: (_state, reply) => reply
      }),
      "mail_service.suppressed": custom((_state, wanted, context) =>
        Effect.gen(function* () {
          if (mail === null) return yield* Effect.fail(mailDisabled)
          const views = yield* Views
          const { items, total } = yield* views.query(context, "mail_suppression_rows", wanted)
          return {
            items: items.map(({ reason, since, sealed }) => ({ address: openRecipient(mail, sealed), reason, since })),
            total
          }
        })
      ),
      "mail_service.lift": custom((_state, { address }, context) =>
        Effect.gen(function* () {
          if (mail === null) return yield* Effect.fail(mailDisabled)
          const actors = yield* Actors
          const id = recipientId(mail, senderAddress(address) ?? address)
          const { changed } = yield* actors.ask(context, "mail_recipient.lift", id, null)
          return changed ? null : yield* Effect.fail(notSuppressed)
        })
      )
    }
  }
})
