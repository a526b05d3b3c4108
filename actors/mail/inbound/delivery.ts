/**
 * Handles an incoming message, from its bytes to the mailboxes that it is for.
 *
 * Invariants
 *  - A message is answered with "taken" only when each of its mailboxes has it in the log, or has noted that it was
 *    dropped. If the process dies before, there is no answer, and the sender tries again. The same bytes from the same
 *    sender are the same command. So they are received once, as long as the mailbox remembers the command (the newest
 *    128, for at most a day).
 *  - A message counts in its mailbox with its size, or with the bytes that are stored of it if these are more.
 *  - A message is judged and parsed once, and sealed for each mailbox under its own key.
 *  - A sender that a mailbox's rules keep out gets the answer that the message was taken. The message is noted in the
 *    journal and dropped.
 */
import { createHash } from "node:crypto"
import { Cause, Effect, Exit, Option, Result } from "effect"
import { getDomain } from "tldts"
import type { ErrorCode, Refusal } from "../../../schemas/errors.ts"
import type { InboundSender } from "../../../schemas/mail/operations.ts"
import type { MailRules, Verdicts } from "../../../schemas/mail/records.ts"
import type { StoredText } from "../../../schemas/mail/stored.ts"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import { newKey } from "../../../schemas/secret/bytes.ts"
import type { Asking } from "../../kit/worker/asks.ts"
import type { Sealer } from "../../log/seal.ts"
import { namesSender, ruleAgainst } from "../box/rules.ts"
import { type MailKeys, recipientId, sealDropped, untaggedOf } from "../keys.ts"
import type { ParsedMail } from "../parse/parsed.ts"
import { type Client, clientOf, EVERYBODY, type Readers } from "../parse/readers.ts"
import { type Addressed, letsIn, partsOf, sealedMail, summaryOf } from "./sealed.ts"
import { type MailStore, type Place, storedBytes } from "./store.ts"
import type { Scan } from "../scan/scan.ts"
import { type JudgedSender, namesOneSender, verdictsAbout, worst } from "./verdicts.ts"

export interface Incoming {
  readonly raw: Buffer
  /** An id by which a repeated message is recognized. Without it, the sender and the bytes identify the message. */
  readonly known?: string
  /** The sender in the envelope; empty for reports of failed deliveries. */
  readonly sender: string
  /** One entry for each mailbox. */
  readonly to: ReadonlyArray<Addressed>
  /** True if an agent of this service sent the message. */
  readonly own?: true
  /** The address of the client that brought it by SMTP. */
  readonly ip?: string
  readonly helo?: string
}

export interface DeliveryParts {
  readonly ask: Asking
  readonly keys: MailKeys
  readonly store: MailStore
  /** Has the parts removed once it is known that their message was not received (doubts.ts). */
  readonly doubt: (place: Place) => void
  readonly nextNumber: Effect.Effect<number, Refusal>
  readonly parse: Readers["parse"]
  readonly scan: Scan
  readonly wordsMax: number
  readonly notStored: Refusal
}

interface ReadMail {
  readonly mail: ParsedMail
  readonly verdicts: Verdicts
  readonly unsigned: StoredText["unsigned"]
  readonly known: string
  readonly sender: string
  /** The size of the message as it came. */
  readonly rawBytes: number
  readonly own: boolean
}

const knownBy = ({ known, raw, sender }: Incoming): string =>
  known ?? createHash("sha256").update(sender).update("\n").update(raw).digest("hex")

/**
 * The client whose share of the threads this message takes: the SMTP client, the sender of mail inside the service, or
 * `EVERYBODY` for mail from a provider.
 */
const broughtBy = ({ ip, own, sender }: Incoming): Client => {
  if (ip !== undefined) return clientOf(ip)
  return own === true ? { name: sender, network: sender } : EVERYBODY
}

/** If a virus was found, the parts that may carry it are not kept. */
const harmless = (mail: ParsedMail, { virus }: Verdicts): ParsedMail =>
  virus === "FAIL"
    ? { ...mail, attachments: [], attachments_dropped: mail.attachments_dropped + mail.attachments.length }
    : mail

/** Fails if the sender has to send the message again. `judged`: the verdicts of the receiving side. */
export const delivered = (
  parts: DeliveryParts,
  incoming: Incoming,
  judged: Effect.Effect<JudgedSender, Refusal>
): Effect.Effect<void, Refusal> =>
  Effect.gen(function* () {
    const { raw, ip, helo, own = false } = incoming
    const origin = {
      sender: incoming.sender,
      ...(ip === undefined ? {} : { ip }),
      ...(helo === undefined ? {} : { helo })
    }
    const scanned = parts.scan({ raw, origin, to: incoming.to.map(({ to }) => to), own })
    const [mail, judgement, { spam, virus }] = yield* Effect.all(
      [parts.parse(raw, broughtBy(incoming)), judged, scanned],
      {
        concurrency: 3
      }
    )
    const verdicts = verdictsAbout(mail.from.address, judgement, mail.doubts)
    const found = { ...verdicts, spam: worst(verdicts.spam, spam), virus: worst(verdicts.virus, virus) }
    const read: ReadMail = {
      mail: harmless(mail, found),
      verdicts: found,
      unsigned: judgement.unsigned ?? [],
      known: knownBy(incoming),
      sender: incoming.sender,
      rawBytes: raw.length,
      own
    }
    // If one mailbox cannot take the message now, the others still do. The sender repeats it for all of them.
    const came = yield* Effect.forEach(incoming.to, (one) => Effect.result(toMailbox(parts, read, one)))
    const refused = came.filter(Result.isFailure).map(({ failure }) => failure)
    // A full mailbox is reported last, because other failures are worth a retry.
    const [first] = [...refused.filter(({ code }) => code !== "rate_limited"), ...refused]
    if (first !== undefined) return yield* Effect.fail(first)
  })

const toMailbox = (parts: DeliveryParts, read: ReadMail, to: Addressed): Effect.Effect<void, Refusal> =>
  Effect.gen(function* () {
    const { ask, keys } = parts
    const mailbox = String(to.mailbox)
    const id = `mail-${read.known}`
    const { rules } = yield* ask(`${id}-accepts`, "mailbox.accepts", mailbox, null)
    const sealer = yield* keys.of(mailbox)
    // The mailbox was closed a moment ago. A retry gets that answer.
    if (sealer === null) return yield* Effect.fail(parts.notStored)
    const { sender, mail, verdicts } = read
    const from = mail.from.address
    const isOneSender = namesOneSender(verdicts)
    const rule = ruleAgainst(rules, { sender, from, isOneSender, dmarc: verdicts.dmarc, letsIn: letsIn(mail) })
    if (rule !== null)
      // A command of its own: the same message may come again when the rule is gone.
      yield* ask(`${id}-dropped`, "mailbox.drop", mailbox, {
        sealed: sealDropped(sealer, { from: from || sender, rule })
      })
    else yield* received(parts, read, to, sealer, { id, sender: senderOf(parts, read, sealer, rules) })
  })

/**
 * The sender whose share of the mailbox's day a message takes. Mail that DMARC has not proven is counted separately
 * from the domain that it names, so a forger does not use up the domain's share. A forged or unjudged message never
 * counts as one from an allowed sender. Messages that name no sender, or more than one, take one share together.
 */
const senderOf = (
  { keys }: DeliveryParts,
  { mail, verdicts }: ReadMail,
  sealer: Sealer,
  { allow_senders }: MailRules
): InboundSender => {
  const { dmarc } = verdicts
  const address = namesOneSender(verdicts) ? mail.from.address : ""
  const host = address.slice(address.lastIndexOf("@") + 1)
  // Subdomains cost their owner nothing, so the registered domain counts.
  const domain = getDomain(host, { allowPrivateDomains: true }) ?? host
  const isProven = dmarc === "PASS" && address !== ""
  const plain = untaggedOf(address)
  return {
    domain: sealer.mark(`${isProven ? "proven" : "claimed"} ${domain}`, "sender's domain").slice(0, MARK_CHARS),
    allowed: dmarc !== "FAIL" && dmarc !== "GRAY" && namesSender(allow_senders, address),
    proven: isProven ? [address, ...(plain === null ? [] : [plain])].map((one) => recipientId(keys, one)) : []
  }
}

/** 64 bits, so many that no two domains that write to one mailbox share a mark. */
const MARK_CHARS = 16

/**
 * Refusals after which the outcome is unknown. Even if the last node that was asked had no room, another one may have
 * been asked before, and its commit may still be under way.
 */
const UNCERTAIN: ReadonlySet<ErrorCode> = new Set<ErrorCode>(["unavailable", "overloaded", "internal_error"])

const received = (
  { ask, store, doubt, nextNumber, wordsMax, notStored }: DeliveryParts,
  { mail, sender: envelopeFrom, verdicts, unsigned, rawBytes, own }: ReadMail,
  to: Addressed,
  sealer: Sealer,
  { id, sender }: { readonly id: string; readonly sender: InboundSender }
): Effect.Effect<void, Refusal> =>
  Effect.gen(function* () {
    const number = yield* nextNumber
    const place = { mailbox: to.mailbox, mail: number }
    const key = newKey()
    const forget = Effect.ignore(Effect.tryPromise(() => store.forget(place)))
    const doubted = Effect.sync(() => doubt(place))
    const storing = Effect.tryPromise({
      try: () => store.keep(place, partsOf(mail, unsigned), key),
      catch: (error) => {
        logNow("error", "mail", { error })
        return notStored
      }
      // No mailbox was asked to receive the message, but a piece without an acknowledgement may still be stored later.
    }).pipe(Effect.tapError(() => forget))
    const receiving = Effect.gen(function* () {
      const kept = yield* storing
      const summary = summaryOf(mail, number, to, { verdicts, own })
      const sealed = sealedMail(sealer, mail, number, summary, { key, parts: kept, wordsMax })
      const from = sealDropped(sealer, { from: mail.from.address || envelopeFrom, rule: null })
      // A few bytes of HTML may make much text, so the mailbox counts what is stored if that is more.
      const bytes = Math.max(rawBytes, storedBytes(kept))
      const input = { number, bytes, mail: sealed, sender, from }
      return (yield* ask(id, "mailbox.receive", String(to.mailbox), input)).mail
    })
    yield* Effect.onExit(receiving, (exit) => {
      // The message was received before, under another number.
      if (Exit.isSuccess(exit)) return exit.value === number ? Effect.void : forget
      const error = Cause.findErrorOption(exit.cause)
      // If the mailbox has refused the message, no commit of it can follow. Otherwise the outcome is unknown, for
      // example after an interruption.
      return Option.isSome(error) && !UNCERTAIN.has(error.value.code) ? forget : doubted
    })
  })
