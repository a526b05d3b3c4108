/** A mail message. Its id is its number. The commit that receives or sends it creates it. */
import { Effect } from "effect"
import { type Refusal } from "../../../schemas/errors.ts"
import { mailOperations } from "../../../schemas/mail/operations.ts"
import { addressesOf, type ListedSent, statusOfAll } from "../../../schemas/mail/sent.ts"
import { iso } from "../../../schemas/iso.ts"
import { blobsAt, naming } from "../../blob/noun.ts"
import { custom, type PrepareContext, read, write } from "../../engine/definition.ts"
import { type Fold, kind } from "../../kit/kind.ts"
import type { MailParts } from "../keys.ts"
import type { Sealer } from "../../log/seal.ts"
import { Actors, type ActorServices } from "../../engine/services.ts"
import { leftSeconds } from "../retention.ts"
import { openEnvelope, openKey, openSent } from "../keys.ts"
import { mailDisabled } from "../mailer/disabled.ts"
import { sendingId } from "../sending/id.ts"
import { beganAt, decideExpire, decideRead, EXPIRE_TIMER, noMail } from "./decide.ts"
import { evolveMail, type MailMessageActor, MailMessageEvent, MailMessageState, type SentValue } from "./state.ts"

const fold: Fold<MailMessageActor> = {
  kind: "mail",
  ends: true,
  state: MailMessageState,
  initial: null,
  events: MailMessageEvent,
  evolve: evolveMail
}

const failing = (refused: Refusal): Effect.Effect<never, Refusal> => Effect.fail(refused)

type OpenedMessage = { readonly state: NonNullable<MailMessageState>; readonly sealer: Sealer }

/**
 * A message with the key that opens it. After its mailbox is deleted, it cannot be opened, even if the log still has
 * the event. A node that has the key in memory still opens it for a minute.
 */
const opened = ({ mail }: Pick<MailParts, "mail">, state: MailMessageState): Effect.Effect<OpenedMessage, Refusal> =>
  Effect.gen(function* () {
    if (mail === null) return yield* failing(mailDisabled)
    if (state === null) return yield* failing(noMail.refused)
    const sealer = yield* mail.of(String(state.mailbox))
    return sealer === null ? yield* failing(noMail.refused) : { state, sealer }
  })

/** A sent message as its agent sees it. The outcome for each recipient comes from its `mail_sending` actor. */
const shownSent = (
  state: SentValue,
  sealer: Sealer,
  context: PrepareContext
): Effect.Effect<ListedSent, Refusal, ActorServices> =>
  Effect.gen(function* () {
    const number = Number(context.id)
    const { summary } = openSent(sealer, number, state.envelope)
    const actors = yield* Actors
    const recipients = yield* Effect.forEach(
      addressesOf(summary),
      (address, index) =>
        Effect.map(actors.ask(context, "mail_sending.look", sendingId(number, index + 1), null), (stands) => ({
          address,
          ...stands
        })),
      { concurrency: "unbounded" }
    )
    const status = statusOfAll(recipients.map((one) => one.status))
    return { box: "sent", ...summary, thread_id: null, sent_at: iso(state.sent_at), status, recipients }
  })

export const mailKind = kind(fold, mailOperations, (parts: MailParts) => {
  const { log, config } = parts
  const { limits, service } = config.limits
  const graceMs = service.blob_grace_seconds * 1000
  const expire = decideExpire(limits.email.retention_seconds * 1000)
  return {
    keepSeconds: (state, at) => leftSeconds(beganAt(state) ?? at, at, limits.email),
    onTimer: { [EXPIRE_TIMER]: "mail.timer" },
    operations: {
      "mail.look": custom((value, { agent }, context) =>
        Effect.gen(function* () {
          if (value === null || value.agent !== agent) return yield* failing(noMail.refused)
          const { state, sealer } = yield* opened(parts, value)
          // A node caches keys for a moment, so the mailbox may be gone.
          const actors = yield* Actors
          yield* actors.ask(context, "mailbox.look", String(state.mailbox), { agent })
          const number = Number(context.id)
          const key = openKey(sealer, number, state.key)
          if (state.box === "sent")
            return { box: state.box, mail: yield* shownSent(state, sealer, context), key, content: state.content }
          const { mailbox, received_at, read_at } = state
          const mail = {
            box: state.box,
            ...openEnvelope(sealer, number, state.envelope),
            thread_id: null,
            received_at: iso(received_at),
            read_at: read_at === null ? null : iso(read_at)
          }
          return { box: state.box, mail, mailbox, key, parts: state.parts }
        })
      ),
      "mail.outgoing": custom((value, _input, { id }) =>
        Effect.gen(function* () {
          const { state, sealer } = yield* opened(parts, value)
          if (state.box !== "sent") return yield* failing(noMail.refused)
          const number = Number(id)
          const { content, sent_at: at } = state
          return { ...openSent(sealer, number, state.envelope), at, content, key: openKey(sealer, number, state.key) }
        })
      ),
      "mail.there": read((state) => ({ data: state !== null })),
      "mail.summary": custom((value, _input, { id }) =>
        Effect.map(opened(parts, value), ({ state, sealer }) =>
          state.box === "sent"
            ? { box: state.box, summary: openSent(sealer, Number(id), state.envelope).summary }
            : { box: state.box, summary: openEnvelope(sealer, Number(id), state.envelope) }
        )
      ),
      "mail.mark_read": write({
        decide: decideRead,
        answer: (state, _reply, { at }) => ({
          read_at: iso((state?.box === "inbox" ? state.read_at : null) ?? at)
        }),
        projected: true
      }),
      "mail.timer": write({
        prepare: (state) => blobsAt(log, state?.box === "sent" ? [state.content] : []),
        decide: (state, fired, context) => {
          const decision = expire(state, fired, context)
          const isOver = decision.events !== undefined && decision.events.length > 0
          if (state?.box !== "sent" || !isOver) return decision
          return naming(decision, { before: [state.content], after: [], blobs: context.facts, at: context.at, graceMs })
        },
        answer: () => null
      })
    }
  }
})
