/** Gathers the facts of sending, and seals the message's summary and its recipients. */
import { Effect } from "effect"
import { refusal, type Refusal, unavailable } from "../../../schemas/errors.ts"
import { domainId } from "../../../schemas/mail-domain/id.ts"
import type { Mailbox } from "../../../schemas/mail/records.ts"
import { messageIdOf } from "../../../schemas/mail/records.ts"
import { type Sending, SERVICE_ID } from "../../../schemas/mail/sending-operations.ts"
import { addressesOf, type SentSummary } from "../../../schemas/mail/sent.ts"
import type { PrepareContext } from "../../engine/definition.ts"
import { eventsOf } from "../../engine/events.ts"
import type { MailParts } from "../keys.ts"
import type { EventLog } from "../../log/commit.ts"
import type { Sealer } from "../../log/seal.ts"
import { Actors, type ActorServices, Counters } from "../../engine/services.ts"
import {
  type MailKeys,
  markMessageId,
  markWord,
  recipientId,
  sealDropped,
  sealKey,
  sealRecipient,
  sealSent,
  sendingToken,
  untaggedOf
} from "../keys.ts"
import { orNone } from "../or-none.ts"
import { ownerRule } from "../owner-rule.ts"
import { evolveMailRecipient, MailRecipientEvent } from "../recipient/actor.ts"
import { evolveMailService, MailServiceEvent, NOTHING_SENT } from "../service/state.ts"
import { mailDisabled } from "./disabled.ts"
import type { SealedSending, SenderFacts } from "./sending.ts"
import { subjects } from "../../../schemas/subjects.ts"

const notLooked = unavailable("The sending limits cannot be looked up at the moment. It is safe to try again.")

const notYours = refusal("email_sender_not_yours", "`from` must be an open mailbox of yours.", { field: "from" })

const notReady = refusal("email_domain_not_ready", "This domain is not active: see its records, then verify it.")

const last = (log: Pick<EventLog, "last">, of: string, id: string) =>
  Effect.tryPromise({ try: () => log.last(subjects.event(of, id)), catch: () => notLooked })

export const serviceAt = (log: Pick<EventLog, "last">) =>
  Effect.map(last(log, "mail_service", SERVICE_ID), (found) =>
    found === null
      ? { seq: 0, state: NOTHING_SENT }
      : {
          seq: found.seq,
          state: eventsOf(MailServiceEvent, found.commit).reduce(evolveMailService, NOTHING_SENT)
        }
  )

const isSuppressed = (log: Pick<EventLog, "last">, mail: MailKeys, address: string): Effect.Effect<boolean, Refusal> =>
  Effect.map(
    last(log, "mail_recipient", recipientId(mail, address)),
    (found) => found !== null && eventsOf(MailRecipientEvent, found.commit).reduce(evolveMailRecipient, null) !== null
  )

const anySuppressed = (
  log: Pick<EventLog, "last">,
  mail: MailKeys,
  address: string
): Effect.Effect<boolean, Refusal> => {
  const plain = untaggedOf(address)
  return Effect.flatMap(isSuppressed(log, mail, address), (found) =>
    found || plain === null ? Effect.succeed(found) : isSuppressed(log, mail, plain)
  )
}

/** The agent as the recipients of its mail see it. */
interface SenderShown {
  readonly name: string
  readonly hx_id: string
  readonly id_url: string
}

export interface Sender extends SenderFacts {
  readonly mail: MailKeys
  readonly mailbox: Mailbox
  readonly shown: SenderShown
  /** Those of the recipients' domains whose mail arrives here: the service's own, and active domains of agents. */
  readonly own: ReadonlySet<string>
}

type Context = Pick<PrepareContext, "id" | "at" | "commandId" | "deadline" | "traceparent">

/** An inactive domain sends nothing (spec 3.6). */
const domainReady = (domain: string, context: Context): Effect.Effect<void, Refusal, Actors> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const { agent, ready } = yield* Effect.mapError(
      actors.ask(context, "mail_domain.ready", domainId(domain), null),
      (refused) => (refused.code === "not_found" ? notYours : refused)
    )
    if (agent !== context.id) return yield* Effect.fail(notYours)
    if (!ready) return yield* Effect.fail(notReady)
  })

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1).toLowerCase()

const ownDomains = (
  addresses: ReadonlyArray<string>,
  service: string | undefined,
  context: Context
): Effect.Effect<ReadonlySet<string>, Refusal, Actors> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const isOwn = (domain: string) =>
      domain === service
        ? Effect.succeed(true)
        : Effect.map(
            orNone(actors.ask(context, "mail_domain.ready", domainId(domain), null)),
            (found) => found?.ready === true
          )
    const domains = [...new Set(addresses.map(domainOf))]
    return new Set(yield* Effect.filter(domains, isOwn, { concurrency: "unbounded" }))
  })

/** The sponsors of the agent, by the same rule as for votes: a sponsor who has just withdrawn still counts. */
export const sponsorsOf = (context: Context): Effect.Effect<ReadonlyArray<string>, Refusal, Actors> =>
  Effect.flatMap(Actors, (actors) =>
    Effect.map(actors.ask(context, "vote.party", context.id, null), ({ sponsors }) => sponsors)
  )

/** `addresses`: all recipients, without display names. */
export const factsForSending = (
  { log, mail, config }: Pick<MailParts, "log" | "mail" | "config">,
  { mailbox: number, addresses }: { readonly mailbox: number; readonly addresses: ReadonlyArray<string> },
  context: Context
): Effect.Effect<Sender, Refusal, ActorServices> =>
  Effect.gen(function* () {
    if (mail === null) return yield* Effect.fail(mailDisabled)
    const { id: agent } = context
    const actors = yield* Actors
    const [mailbox, profile, service, sponsors, found, own] = yield* Effect.all(
      [
        Effect.mapError(actors.ask(context, "mailbox.look", String(number), { agent }), (refused) =>
          refused.code === "not_found" ? notYours : refused
        ),
        actors.ask(context, "agent.profile", agent, null),
        serviceAt(log),
        sponsorsOf(context),
        Effect.filter(addresses, (address) => anySuppressed(log, mail, address), { concurrency: "unbounded" }),
        ownDomains(addresses, config.mail?.domain, context)
      ],
      { concurrency: "unbounded" }
    )
    yield* ownerRule(config, agent, context)
    if (mailbox.domain !== config.mail?.domain) yield* domainReady(mailbox.domain, context)
    const { name, hx_id, id_url, created_at, scores } = profile
    const shown = { name, hx_id, id_url }
    const registeredAt = Date.parse(created_at)
    const { established_seconds, established_trust } = config.limits.moderation
    const established = context.at - registeredAt >= established_seconds * 1000 && scores.trust >= established_trust
    return { mail, mailbox, shown, registeredAt, established, service, sponsors, suppressed: found, own }
  })

/** The facts from which `mailer.sending` is answered. */
export const factsForStatus = (
  { log }: Pick<MailParts, "log">,
  context: Context
): Effect.Effect<Pick<SenderFacts, "registeredAt" | "service">, Refusal, ActorServices> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const { created_at } = yield* actors.ask(context, "agent.profile", context.id, null)
    return { registeredAt: Date.parse(created_at), service: yield* serviceAt(log) }
  })

/** Makes a Message-ID. Its token can be made and checked only with the service's key, so nobody can invent one. */
const rfcIdOf = (mail: MailKeys, number: number, domain: string): string =>
  `em_${number}.${sendingToken(mail, "message", String(number))}@${domain}`

export const sealedSending = (
  { mail, mailbox, shown, own }: Pick<Sender, "mail" | "mailbox" | "shown" | "own">,
  input: Sending
): Effect.Effect<SealedSending, Refusal, Counters> =>
  Effect.gen(function* () {
    const sealer = yield* mail.of(String(mailbox.id))
    if (sealer === null) return yield* Effect.fail(notYours)
    const counters = yield* Counters
    const number = yield* counters.next("mail")
    const rfc_id = rfcIdOf(mail, number, mailbox.domain)
    const { to, cc, bcc, reply_to, subject, excerpt, attachments, files, in_reply_to, references, content } = input
    const summary: SentSummary = {
      id: messageIdOf(number),
      message_id: messageIdOf(number),
      mailbox: { id: mailbox.id, address: mailbox.address },
      from: { address: mailbox.address, name: shown.name },
      to,
      cc,
      bcc,
      reply_to,
      subject,
      excerpt,
      attachments: files ?? [],
      attachment_count: attachments,
      in_reply_to
    }
    const line = `${shown.hx_id} (${shown.id_url})`
    return {
      mail: number,
      message: {
        mailbox: mailbox.id,
        envelope: sealSent(sealer, number, { summary, rfc_id, references, agent: line }),
        key: sealKey(sealer, number, input.key),
        content,
        words: input.words.map((word) => markWord(sealer, word)),
        own: markMessageId(sealer, rfc_id),
        follows: references.toReversed().map((other) => markMessageId(sealer, other))
      },
      recipients: placesOf(mail, sealer, addressesOf(input), own)
    }
  })

const recipientOf = (mail: MailKeys, address: string) => ({
  recipient: recipientId(mail, address),
  sealed: sealRecipient(mail, address)
})

const placesOf = (
  mail: MailKeys,
  sealer: Sealer,
  addresses: ReadonlyArray<string>,
  own: ReadonlySet<string>
): SealedSending["recipients"] =>
  addresses.map((address) => {
    const plain = untaggedOf(address)
    return {
      ...recipientOf(mail, address),
      to: sealDropped(sealer, { from: address, rule: null }),
      ...(own.has(domainOf(address)) ? { own: true } : {}),
      ...(plain === null ? {} : { untagged: recipientOf(mail, plain) })
    }
  })
