/** What an agent has of mail; declared in schemas/mail/operations.ts. */
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect } from "effect"
import { type Refusal, refusal, unavailable } from "../../../schemas/errors.ts"
import { mailerOperations } from "../../../schemas/mail/operations.ts"
import { NO_RULES } from "../../../schemas/mail/records.ts"
import { type PrepareContext, read, write } from "../../engine/definition.ts"
import { eventsOf } from "../../engine/events.ts"
import { type Fold, kind, type KindParts } from "../../kind.ts"
import { lastCommit } from "../../log/last-commit.ts"
import { type Actors, Counters } from "../../services.ts"
import { evolveMailAddress, type MailAddress, MailAddressEvent } from "../address/actor.ts"
import { addressId } from "../address/id.ts"
import { sealChosen } from "../keys.ts"
import { ownerRule } from "../owner-rule.ts"
import { type At, type CloseFacts, decideClose, decideOpen, type OpenFacts, openRefusal } from "./decide.ts"
import { evolveMailer, type MailerActor, MailerEvent, MailerState, NO_MAIL } from "./state.ts"

const fold: Fold<MailerActor> = {
  kind: "mailer",
  state: MailerState,
  initial: NO_MAIL,
  events: MailerEvent,
  evolve: evolveMailer
}

const notLooked = unavailable("Mailboxes cannot be looked up at the moment. It is safe to try again.")

const last = (nats: NatsConnection, of: string, id: string) =>
  Effect.tryPromise({ try: () => lastCommit(nats, of, id), catch: () => notLooked })

/** Its newest event says all of it. */
const addressAt = (nats: NatsConnection, address: string): Effect.Effect<At<MailAddress>, Refusal> =>
  Effect.map(last(nats, "mail_address", addressId(address)), (found) =>
    found === null
      ? { seq: 0, state: null }
      : {
          seq: found.seq,
          state: eventsOf(MailAddressEvent, found.commit).reduce<MailAddress>(evolveMailAddress, null)
        }
  )

export const mailDisabled = refusal("email_disabled", "This service has no mail.")

const openFacts = (
  { nats, mail, config }: KindParts,
  state: MailerState,
  {
    local_part,
    domain,
    label
  }: { readonly local_part: string; readonly domain: string; readonly label: string | null },
  context: PrepareContext
): Effect.Effect<OpenFacts, Refusal, Actors | Counters> =>
  Effect.gen(function* () {
    if (mail === null) return yield* Effect.fail(mailDisabled)
    const { id } = context
    yield* ownerRule(config, id, context)
    const address = yield* addressAt(nats, `${local_part}@${domain}`)
    const refused = openRefusal(state, id, address, config.limits.limits.email.mailboxes_per_agent)
    if (refused !== null) return yield* Effect.fail(refused)
    const counters = yield* Counters
    const mailbox = yield* counters.next("mailbox")
    const sealer = yield* mail.make(String(mailbox))
    return { mailbox, address, chosen: sealChosen(sealer, { label, rules: NO_RULES }) }
  })

const closeFacts = (
  { nats }: Pick<KindParts, "nats">,
  { mailboxes }: MailerState,
  wanted: ReadonlyArray<number>
): Effect.Effect<CloseFacts, Refusal> =>
  Effect.map(
    Effect.forEach(
      mailboxes.filter(({ mailbox }) => wanted.includes(mailbox)),
      ({ mailbox, address }) =>
        Effect.map(
          Effect.all([last(nats, "mailbox", String(mailbox)), last(nats, "mail_address", addressId(address))]),
          ([box, claim]) => ({ mailbox, boxSeq: box?.seq ?? 0, addressSeq: claim?.seq ?? 0 })
        )
    ),
    (closing) => ({ closing })
  )

const allOf = ({ mailboxes }: MailerState): ReadonlyArray<number> => mailboxes.map(({ mailbox }) => mailbox)

export const mailerKind = kind(fold, mailerOperations, (parts) => {
  const open = decideOpen(parts.config.limits.limits.email.mailboxes_per_agent)
  return {
    operations: {
      "mailer.mailboxes": read((state) => ({ data: allOf(state) })),
      "mailer.open_mailbox": write({
        prepare: (state, input, context) => openFacts(parts, state, input, context),
        decide: open,
        answer: (_state, reply) => reply
      }),
      "mailer.close_mailbox": write({
        prepare: (state, { mailbox }) => closeFacts(parts, state, [mailbox]),
        decide: (state, { mailbox }, context) => decideClose(state, [mailbox], context),
        answer: () => null,
        projected: true
      }),
      "mailer.close_all": write({
        prepare: (state) => closeFacts(parts, state, allOf(state)),
        decide: (state, _input, context) => decideClose(state, allOf(state), context),
        answer: () => null
      })
    }
  }
})
