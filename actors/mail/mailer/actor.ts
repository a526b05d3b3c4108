/** The actor of an agent's mail. Its operations are declared in schemas/mail/operations.ts. */
import { Effect } from "effect"
import { type Refusal, refusal, unavailable } from "../../../schemas/errors.ts"
import { mailerOperations } from "../../../schemas/mail/operations.ts"
import { NO_RULES } from "../../../schemas/mail/records.ts"
import { type Sending, sendingOfMailerOperations } from "../../../schemas/mail/sending-operations.ts"
import { addressesOf } from "../../../schemas/mail/sent.ts"
import { custom, type PrepareContext, read, write } from "../../engine/definition.ts"
import { blobsAt, naming } from "../../blob/noun.ts"
import { eventsOf } from "../../engine/events.ts"
import { accountRuns } from "../../kit/account.ts"
import { type Fold, kind } from "../../kit/kind.ts"
import type { MailParts } from "../keys.ts"
import type { EventLog } from "../../log/commit.ts"
import { Actors, Counters } from "../../engine/services.ts"
import { evolveMailAddress, type MailAddress, MailAddressEvent } from "../address/actor.ts"
import { addressId } from "../address/id.ts"
import { domainId } from "../../../schemas/mail-domain/id.ts"
import { sealChosen } from "../keys.ts"
import { ownerRule } from "../owner-rule.ts"
import { mailDisabled } from "./disabled.ts"
import {
  type At,
  CLOSE_TIMER,
  type CloseFacts,
  decideBanned,
  decideClose,
  decideCloseTimer,
  decideOpen,
  type OpenFacts,
  openRefusal
} from "./decide.ts"
import { sealedSending, factsForSending, factsForStatus, serviceAt, sponsorsOf } from "./send-facts.ts"
import { decideCount, decideReinstate, decideSend, sendingRefusal, sendingState } from "./sending.ts"
import { claimOf, evolveMailer, type MailerActor, MailerEvent, MailerState, NO_MAIL } from "./state.ts"
import { subjects } from "../../../schemas/subjects.ts"

const fold: Fold<MailerActor> = {
  kind: "mailer",
  state: MailerState,
  initial: NO_MAIL,
  events: MailerEvent,
  evolve: evolveMailer
}

const notLooked = unavailable("Mailboxes cannot be looked up at the moment. It is safe to try again.")

const last = (log: Pick<EventLog, "last">, of: string, id: string) =>
  Effect.tryPromise({ try: () => log.last(subjects.event(of, id)), catch: () => notLooked })

/** The state of an address's actor. Its newest commit contains the whole state. */
const addressAt = (log: Pick<EventLog, "last">, address: string): Effect.Effect<At<MailAddress>, Refusal> =>
  Effect.map(last(log, "mail_address", addressId(address)), (found) =>
    found === null
      ? { seq: 0, state: null }
      : {
          seq: found.seq,
          state: eventsOf(MailAddressEvent, found.commit).reduce<MailAddress>(evolveMailAddress, null)
        }
  )

const noDomain = refusal("email_domain_unknown", "You have no such domain here.")
const notYours = refusal("email_domain_not_yours", "This domain is another agent's.")
const notReady = refusal("email_domain_not_ready", "This domain is not active: see its records, then verify it.")

/** The claim of the agent's own domain, which must be active. There is none for an address at the service's domain. */
const claimOn = (
  domain: string,
  own: string,
  context: PrepareContext
): Effect.Effect<{ readonly claim?: number }, Refusal, Actors> =>
  Effect.gen(function* () {
    if (domain === own) return {}
    const actors = yield* Actors
    const { agent, ready, claim } = yield* Effect.catchIf(
      actors.ask(context, "mail_domain.ready", domainId(domain), null),
      ({ code }) => code === "not_found",
      () => Effect.fail(noDomain)
    )
    if (agent !== context.id) return yield* Effect.fail(notYours)
    return ready ? { claim } : yield* Effect.fail(notReady)
  })

const openFacts = (
  { log, mail, config }: MailParts,
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
    yield* accountRuns(context, id)
    yield* ownerRule(config, id, context)
    const claim = yield* claimOn(domain, config.mail?.domain ?? "", context)
    const address = yield* addressAt(log, `${local_part}@${domain}`)
    const refused = openRefusal(state, id, address, config.limits.limits.email.mailboxes_per_agent)
    if (refused !== null) return yield* Effect.fail(refused)
    const counters = yield* Counters
    const mailbox = yield* counters.next("mailbox")
    const sealer = yield* mail.make(String(mailbox))
    return { mailbox, address, ...claimOf(claim), chosen: sealChosen(sealer, { label, rules: NO_RULES }) }
  })

const closeFacts = (
  { log }: Pick<MailParts, "log">,
  { mailboxes }: MailerState,
  wanted: ReadonlyArray<number>
): Effect.Effect<CloseFacts, Refusal> =>
  Effect.map(
    Effect.forEach(
      mailboxes.filter(({ mailbox }) => wanted.includes(mailbox)),
      ({ mailbox, address }) =>
        Effect.map(
          Effect.all([last(log, "mailbox", String(mailbox)), last(log, "mail_address", addressId(address))]),
          ([box, claim]) => ({ mailbox, boxSeq: box?.seq ?? 0, addressSeq: claim?.seq ?? 0 })
        )
    ),
    (closing) => ({ closing })
  )

/** The agent's mailboxes at a domain: those opened under this claim of the domain or under an earlier one. */
const atDomain = ({ mailboxes }: MailerState, domain: string, claim = Number.POSITIVE_INFINITY) =>
  mailboxes.filter((one) => one.address.endsWith(`@${domain}`) && (one.claim ?? 0) <= claim).map((one) => one.mailbox)

const allOf = ({ mailboxes }: MailerState): ReadonlyArray<number> => mailboxes.map(({ mailbox }) => mailbox)

const operations = { ...mailerOperations, ...sendingOfMailerOperations }

export const mailerKind = kind(fold, operations, (parts: MailParts) => {
  const { limits, service } = parts.config.limits
  const { email } = limits
  const graceMs = service.blob_grace_seconds * 1000
  const open = decideOpen(email.mailboxes_per_agent)
  return {
    onTimer: { [CLOSE_TIMER]: "mailer.timer" },
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
      "mailer.close_domain": write({
        prepare: (state, { domain, claim }) => closeFacts(parts, state, atDomain(state, domain, claim)),
        decide: (state, { domain, claim }, context) => decideClose(state, atDomain(state, domain, claim), context),
        answer: () => null,
        projected: true
      }),
      "mailer.wrote_to": read((state, { recipients }) => ({
        data: recipients.some((one) => state.written.includes(one))
      })),
      "mailer.count_of": read((state, { domain }) => ({ data: atDomain(state, domain).length })),
      "mailer.close_all": write({
        prepare: (state) => closeFacts(parts, state, allOf(state)),
        decide: (state, _input, context) => decideClose(state, allOf(state), context),
        answer: () => null
      }),
      "mailer.banned": write({
        decide: (state, input, context) => decideBanned(state, input, context, email.banned_kept_seconds),
        answer: () => null
      }),
      "mailer.timer": write({
        prepare: (state) => closeFacts(parts, state, allOf(state)),
        decide: (state, fired, context) => decideCloseTimer(state, fired, context),
        answer: () => null
      }),
      "mailer.sending": custom((state, _input, context) =>
        Effect.map(factsForStatus(parts, context), (facts) => sendingState(state, facts, context.at, email))
      ),
      "mailer.may_send": custom((state, { mailbox, recipients }, context) =>
        Effect.flatMap(factsForSending(parts, { mailbox, addresses: recipients }, context), (facts) => {
          // The service's daily limit is not checked here, but by `mailer.send`.
          const wanted = { recipients: recipients.length, outside: 0 }
          const refused = sendingRefusal(state, wanted, facts, context.at, email)
          return refused === null ? Effect.succeed(null) : Effect.fail(refused)
        })
      ),
      "mailer.send": write({
        prepare: (_state, input: Sending, context) =>
          Effect.gen(function* () {
            const wanted = { mailbox: input.mailbox, addresses: addressesOf(input) }
            const sender = yield* factsForSending(parts, wanted, context)
            const blobs = yield* blobsAt(parts.log, [input.content])
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
        answer: (_state, reply) => reply,
        projected: true
      }),
      "mailer.count": write({
        prepare: (_state, _input, context) =>
          Effect.all({ service: serviceAt(parts.log), sponsors: sponsorsOf(context) }, { concurrency: "unbounded" }),
        decide: (state, input, context) => decideCount(state, input, context, email),
        answer: () => null
      }),
      "mailer.reinstate": write({ decide: decideReinstate, answer: (_state, reply) => reply })
    }
  }
})
