/** The keys of mailboxes (log/erasable-keys.ts), and what is sealed under them: each box opens in its own place alone. */
import type { NatsConnection } from "@nats-io/transport-node"
import { Schema } from "effect"
import { unavailable } from "../../schemas/errors.ts"
import { MailEnvelope } from "../../schemas/mail/operations.ts"
import { MailRules } from "../../schemas/mail/records.ts"
import { streams, subjects } from "../../schemas/subjects.ts"
import { ErasableKeys } from "../log/erasable-keys.ts"
import { Sealer } from "../log/seal.ts"

export class MailKeys extends ErasableKeys {
  private readonly notices: Sealer

  /** `key`: HUB_MAIL_KEY. */
  constructor(nats: NatsConnection, key: Uint8Array) {
    super(nats, new Sealer(key, "hub mailbox keys"), {
      stream: streams.mailKeys,
      subjectOf: subjects.mailKey,
      purposeOf: (mailbox) => `mailbox ${mailbox}`,
      use: "hub mailbox",
      unreachable: unavailable("Mail cannot be opened at the moment. It is safe to try again.")
    })
    this.notices = new Sealer(key, "hub mail notices")
  }

  /** What the provider told is of no mailbox yet: one key for all, for the days that the log holds it. */
  sealNotice(id: string, message: string): string {
    return this.notices.seal(message, `notice ${id}`)
  }

  openNotice(id: string, sealed: string): string {
    return this.notices.open(sealed, `notice ${id}`)
  }
}

/** `key`: `null` where there is no mail. */
export const mailKeysWith = (nats: NatsConnection, key: Uint8Array | null): MailKeys | null =>
  key === null ? null : new MailKeys(nats, key)

/** What an agent chose for a mailbox. */
const Chosen = Schema.Struct({ label: Schema.NullOr(Schema.String), rules: MailRules })
export type Chosen = typeof Chosen.Type

const decodeChosen = Schema.decodeUnknownSync(Schema.fromJsonString(Chosen))
const decodeEnvelope = Schema.decodeUnknownSync(Schema.fromJsonString(MailEnvelope))

export const sealChosen = (sealer: Sealer, chosen: Chosen): string => sealer.seal(JSON.stringify(chosen), "chosen")
export const openChosen = (sealer: Sealer, sealed: string): Chosen => decodeChosen(sealer.open(sealed, "chosen"))

export const sealEnvelope = (sealer: Sealer, mail: number, envelope: MailEnvelope): string =>
  sealer.seal(JSON.stringify(envelope), `envelope ${mail}`)
export const openEnvelope = (sealer: Sealer, mail: number, sealed: string): MailEnvelope =>
  decodeEnvelope(sealer.open(sealed, `envelope ${mail}`))

/** Of the key of a message's parts, in base64url. */
export const sealKey = (sealer: Sealer, mail: number, key: string): string => sealer.seal(key, `key ${mail}`)
export const openKey = (sealer: Sealer, mail: number, sealed: string): string => sealer.open(sealed, `key ${mail}`)

/** Of somebody whose mail was dropped. */
export const sealDropped = (sealer: Sealer, from: string): string => sealer.seal(from, "dropped")
export const openDropped = (sealer: Sealer, sealed: string): string => sealer.open(sealed, "dropped")

/** 64 bits: so few words are marked for one agent that no two of them meet. */
const MARK_CHARS = 16

/** A word as it is found by, which says nothing without the key. */
export const markWord = (sealer: Sealer, word: string): string => sealer.mark(word, "word").slice(0, MARK_CHARS)
export const markMessageId = (sealer: Sealer, id: string): string =>
  sealer.mark(id, "message id").slice(0, 2 * MARK_CHARS)
