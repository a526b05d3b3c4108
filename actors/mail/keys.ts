/**
 * The keys of mailboxes (log/erasable-keys.ts), and the sealing of mail with them. Sealed data is bound to its purpose,
 * and cannot be opened for another one.
 */
import { timingSafeEqual } from "node:crypto"
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect, Schema } from "effect"
import { unavailable } from "../../schemas/errors.ts"
import { MailEnvelope } from "../../schemas/mail/operations.ts"
import { MailAttachment, type MailRule, MailRules, NO_RULES, Verdicts } from "../../schemas/mail/records.ts"
import { SentSummary } from "../../schemas/mail/sent.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { ErasableKeys } from "../log/erasable-keys.ts"
import { Sealer } from "../log/seal.ts"
import type { KindParts } from "../kit/kind.ts"

export class MailKeys extends ErasableKeys {
  /** Seals and marks data that belongs to no mailbox, such as suppressed addresses. */
  readonly service: Sealer
  /** Seals the data of domains: the keys that sign mail, and the proofs of claims. */
  readonly domains: Sealer
  private readonly notices: Sealer

  /** `key`: the value of HUB_MAIL_KEY. */
  constructor(nats: NatsConnection, key: Uint8Array) {
    super(nats, new Sealer(key, "hub mailbox keys"), {
      stream: streams.mailKeys,
      subjectOf: subjects.mailKey,
      purposeOf: (mailbox) => `mailbox ${mailbox}`,
      use: "hub mailbox",
      unreachable: unavailable("Mail cannot be opened at the moment. It is safe to try again.")
    })
    this.service = new Sealer(key, "hub mail service")
    this.domains = new Sealer(key, "hub mail domains")
    this.notices = new Sealer(key, "hub mail notices")
  }

  /**
   * A provider's notice belongs to no mailbox yet. So one key seals all of them, for the days that the log keeps them.
   */
  sealNotice(id: string, message: string): string {
    return this.notices.seal(message, `notice ${id}`)
  }

  openNotice(id: string, sealed: string): string {
    return this.notices.open(sealed, `notice ${id}`)
  }
}

/** The settings that hold the key, for the error of a start with another key. */
export const MAIL_KEY_NAMES = "HUB_MAIL_KEY or HUB_MAIL_KEY_FILE"

/** `key`: `null` if the service has no mail. */
export const mailKeysWith = (nats: NatsConnection, key: Uint8Array | null): MailKeys | null =>
  key === null ? null : new MailKeys(nats, key)

const { block_senders, allow_senders, require_dmarc, only_codes } = MailRules.fields
/** Settings of earlier releases lack the newer rules, which then do not apply. */
const KeptRules = Schema.Struct({
  block_senders,
  allow_senders: allow_senders.pipe(Schema.withDecodingDefaultKey(Effect.succeed(NO_RULES.allow_senders))),
  require_dmarc: require_dmarc.pipe(Schema.withDecodingDefaultKey(Effect.succeed(NO_RULES.require_dmarc))),
  only_codes: only_codes.pipe(Schema.withDecodingDefaultKey(Effect.succeed(NO_RULES.only_codes)))
})
const Chosen = Schema.Struct({ label: Schema.NullOr(Schema.String), rules: KeptRules })
export type Chosen = typeof Chosen.Type

const decodeChosen = Schema.decodeUnknownSync(Schema.fromJsonString(Chosen))
/** Summaries that an earlier release sealed have only the number of attachments, and no list. */
const keptFiles = {
  attachments: Schema.Int,
  files: Schema.Array(MailAttachment).pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))
}

interface Files {
  readonly id: string
  readonly attachments: ReadonlyArray<MailAttachment>
  readonly attachment_count: number
}

const keptOf = <A extends Files>({ id: _id, attachments: files, attachment_count: attachments, ...rest }: A) => ({
  ...rest,
  attachments,
  files
})

const openedOf = <
  A extends { readonly message_id: string; readonly attachments: number; readonly files: Files["attachments"] }
>({
  attachments: attachment_count,
  files: attachments,
  ...rest
}: A) => ({ ...rest, id: rest.message_id, attachments, attachment_count })

/** Mail that an earlier release judged has no reasons. */
const { reasons } = Verdicts.fields
const { id: _id, attachment_count: _count, ...keptReceived } = MailEnvelope.fields
const KeptEnvelope = Schema.Struct({
  ...keptReceived,
  ...keptFiles,
  verdicts: Schema.Struct({
    ...Verdicts.fields,
    reasons: reasons.pipe(Schema.withDecodingDefaultKey(Effect.succeed([])))
  })
})
const decodeEnvelope = Schema.decodeUnknownSync(Schema.fromJsonString(KeptEnvelope))

export const sealChosen = (sealer: Sealer, chosen: Chosen): string => sealer.seal(JSON.stringify(chosen), "chosen")
export const openChosen = (sealer: Sealer, sealed: string): Chosen => decodeChosen(sealer.open(sealed, "chosen"))

export const sealEnvelope = (sealer: Sealer, mail: number, envelope: MailEnvelope): string =>
  sealer.seal(JSON.stringify(keptOf(envelope)), `envelope ${mail}`)
export const openEnvelope = (sealer: Sealer, mail: number, sealed: string): MailEnvelope =>
  openedOf(decodeEnvelope(sealer.open(sealed, `envelope ${mail}`)))

/** Seals the key of a message's parts, in base64url. */
export const sealKey = (sealer: Sealer, mail: number, key: string): string => sealer.seal(key, `key ${mail}`)
export const openKey = (sealer: Sealer, mail: number, sealed: string): string => sealer.open(sealed, `key ${mail}`)

/** The sender of received mail, with the rule if one dropped the mail, or the recipient of sent mail. */
export interface Dropped {
  readonly from: string
  readonly rule: MailRule | null
}

export const sealDropped = (sealer: Sealer, { from, rule }: Dropped): string =>
  sealer.seal(`${rule ?? ""}\n${from}`, "dropped")
export const openDropped = (sealer: Sealer, sealed: string): Dropped => {
  const text = sealer.open(sealed, "dropped")
  const end = text.indexOf("\n")
  const [rule, from] = [text.slice(0, Math.max(0, end)), text.slice(end + 1)]
  return isRule(rule) ? { from, rule } : { from: text.trim(), rule: null }
}

const isRule = (text: string): text is MailRule => Object.hasOwn(MailRules.fields, text)

export interface SentEnvelope {
  readonly summary: SentSummary
  /** Ids of RFC 5322, without angle brackets. */
  readonly rfc_id: string
  readonly references: ReadonlyArray<string>
  readonly agent: string
}

const { id: _sentId, attachment_count: _sentCount, ...keptSent } = SentSummary.fields
const KeptSent = Schema.Struct({
  summary: Schema.Struct({ ...keptSent, ...keptFiles }),
  rfc_id: Schema.String,
  references: Schema.Array(Schema.String),
  agent: Schema.String
})
const decodeSent = Schema.decodeUnknownSync(Schema.fromJsonString(KeptSent))

export const sealSent = (sealer: Sealer, mail: number, envelope: SentEnvelope): string =>
  sealer.seal(JSON.stringify({ ...envelope, summary: keptOf(envelope.summary) }), `sent ${mail}`)
export const openSent = (sealer: Sealer, mail: number, sealed: string): SentEnvelope => {
  const { summary, ...rest } = decodeSent(sealer.open(sealed, `sent ${mail}`))
  return { ...rest, summary: openedOf(summary) }
}

/** 64 bits. No two words of one agent share a mark, and nobody guesses a token. */
const MARK_CHARS = 16

/** The form in which a word is searched for. It reveals nothing without the key. */
export const markWord = (sealer: Sealer, word: string): string => sealer.mark(word, "word").slice(0, MARK_CHARS)
export const markMessageId = (sealer: Sealer, id: string): string =>
  sealer.mark(id, "message id").slice(0, 2 * MARK_CHARS)

/** Id of the actor that knows whether an address may be written to. */
export const recipientId = ({ service }: Pick<MailKeys, "service">, address: string): string =>
  service.mark(address, "recipient").slice(0, 2 * MARK_CHARS)

/** The address without the plus sign and the tag after it; `null` if it has no tag. */
export const untaggedOf = (address: string): string | null => {
  const [plus, at] = [address.indexOf("+"), address.lastIndexOf("@")]
  return plus < 1 || plus > at ? null : address.slice(0, plus) + address.slice(at)
}

export const sealRecipient = ({ service }: Pick<MailKeys, "service">, address: string): string =>
  service.seal(address, "recipient")
export const openRecipient = ({ service }: Pick<MailKeys, "service">, sealed: string): string =>
  service.open(sealed, "recipient")

/**
 * The token of a sending for one purpose. Only receivers of the mail have seen it, so it proves which mail they refer
 * to.
 */
export const sendingToken = ({ service }: Pick<MailKeys, "service">, purpose: string, sending: string): string =>
  service.mark(sending, `token of ${purpose}`).slice(0, MARK_CHARS)

/** Compares in constant time. */
export const isSendingToken = (
  keys: Pick<MailKeys, "service">,
  purpose: string,
  sending: string,
  token: string | undefined
): boolean => {
  const [known, given] = [Buffer.from(sendingToken(keys, purpose, sending)), Buffer.from(token ?? "")]
  return known.length === given.length && timingSafeEqual(known, given)
}

export interface MailParts extends KindParts {
  /** The keys that seal the content of mail; `null` if the service has no mail. */
  readonly mail: MailKeys | null
}
