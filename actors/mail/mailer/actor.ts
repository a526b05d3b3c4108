/** What an agent has of mail; declared in schemas/mail/operations.ts. */
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect } from "effect"
import { type Refusal, unavailable } from "../../../schemas/errors.ts"
import { mailerOperations } from "../../../schemas/mail/operations.ts"
import { type Sending, sendingOfMailerOperations } from "../../../schemas/mail/sending-operations.ts"
import { custom, type PrepareContext, read, write } from "../../engine/definition.ts"
import { blobsAt, naming } from "../../blob/naming.ts"
import { eventsOf } from "../../engine/events.ts"
import { type Fold, kind, type KindParts } from "../../kind.ts"
import { lastCommit } from "../../log/last-commit.ts"
import { Counters } from "../../services.ts"
import { evolveMailAddress, type MailAddress, MailAddressEvent } from "../address/actor.ts"
import { addressId } from "../address/id.ts"
import { sealChosen } from "../keys.ts"
import { mailDisabled } from "./disabled.ts"
import { type At, type CloseFacts, decideClose, decideOpen, type OpenFacts, openRefusal } from "./decide.ts"
import { addressesOf, sealedSending, senderFacts, sendingFacts } from "./send-facts.ts"
import { decideCount, decideReinstate, decideSend, sendingRefusal, sendingState } from "./sending.ts"
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

const openFacts = (
  { nats, mail, config: { limits } }: KindParts,
  state: MailerState,
  {
    local_part,
    domain,
    label
  }: { readonly local_part: string; readonly domain: string; readonly label: string | null },
  { id }: Pick<PrepareContext, "id">
): Effect.Effect<OpenFacts, Refusal, Counters> =>
  Effect.gen(function* () {
    if (mail === null) return yield* Effect.fail(mailDisabled)
    const address = yield* addressAt(nats, `${local_part}@${domain}`)
    const refused = openRefusal(state, id, address, limits.limits.email.mailboxes_per_agent)
    if (refused !== null) return yield* Effect.fail(refused)
    const counters = yield* Counters
    const mailbox = yield* counters.next("mailbox")
    const sealer = yield* mail.make(String(mailbox))
    return { mailbox, address, chosen: sealChosen(sealer, { label, rules: { block_senders: [] } }) }
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

const operations = { ...mailerOperations, ...sendingOfMailerOperations }

export const mailerKind = kind(fold, operations, (parts) => {
  const { limits, service } = parts.config.limits
  const { email } = limits
  const graceMs = service.blob_grace_seconds * 1000
  const open = decideOpen(email.mailboxes_per_agent)
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
      }),
      "mailer.sending": custom((state, _input, context) =>
        Effect.map(sendingFacts(parts, context), (facts) => sendingState(state, facts, context.at, email))
      ),
      "mailer.may_send": custom((state, { mailbox, recipients }, context) =>
        Effect.flatMap(senderFacts(parts, { mailbox, addresses: recipients }, context), (facts) => {
          const refused = sendingRefusal(state, recipients.length, facts, context.at, email)
          return refused === null ? Effect.succeed(null) : Effect.fail(refused)
        })
      ),
      "mailer.send": write({
        prepare: (_state, input: Sending, context) =>
          Effect.gen(function* () {
            const wanted = { mailbox: input.mailbox, addresses: addressesOf(input) }
            const sender = yield* senderFacts(parts, wanted, context)
            const blobs = yield* blobsAt(parts.nats, [input.content])
            return { ...sender, blobs, sending: yield* sealedSending(sender, input) }
          }),
        decide: (state, { content }: Sending, context) =>
          naming(decideSend(state, context, email), {
            before: [],
            after: [content],
            blobs: context.facts.blobs,
            at: context.at,
            graceMs
          }),
        answer: (_state, reply) => reply
      }),
      "mailer.count": write({
        decide: (state, input, context) => decideCount(state, input, context, email),
        answer: () => null
      }),
      "mailer.reinstate": write({ decide: decideReinstate, answer: (_state, reply) => reply })
    }
  }
})
