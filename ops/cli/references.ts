/**
 * Finds actors by the names that operators use. It reads the claims in the log, so no actors need to run. Postgres is
 * needed only for numbers without a claim.
 */
import type { HandleClaim } from "../../actors/handle/actor.ts"
import type { KeyClaim } from "../../actors/key/actor.ts"
import type { MailAddress } from "../../actors/mail/address/actor.ts"
import { addressId } from "../../actors/mail/address/id.ts"
import type { NumberClaim } from "../../actors/number/actor.ts"
import { HANDLE_PATTERN } from "../../schemas/agent/fields.ts"
import { domainId } from "../../schemas/mail-domain/id.ts"
import { PUBLIC_KEY_BYTES } from "../../schemas/signing/ed25519.ts"
import { decodeBase64, HUB_ID_PATTERN, hubIdOf } from "../../schemas/signing/key.ts"
import { subjects } from "../../schemas/subjects.ts"
import { historyOf, kindOf, stateAt } from "../replay/fold.ts"
import { Fault } from "./fault.ts"
import type { Service } from "./connection.ts"

const NUMBER_PATTERN = /^HX-\d{6,}$/i
/** An id that is one token of a NATS subject. */
const ID_PATTERN = /^[^\s.*>]{1,128}$/

const claimed = async <Claim>(service: Service, kind: string, id: string): Promise<Claim | null> => {
  const fold = kindOf(kind)?.fold
  if (fold === undefined) throw new Error(`there is no kind ${kind}`)
  return ((await stateAt(historyOf(service.log, kind, id), fold, id, null))?.state ?? null) as Claim | null
}

/**
 * Finds an agent by number, handle or hub id. Hub ids of keys that it got by rotation are found as well. An unknown hub
 * id is returned unchanged.
 */
export const hubIdOfReference = async (service: Service, reference: string): Promise<string> => {
  const missing = new Fault(`there is no agent ${reference}`)
  if (HUB_ID_PATTERN.test(reference)) {
    if ((await service.log.lastSeq(subjects.event("agent", reference))) > 0) return reference
    return (await claimed<KeyClaim>(service, "key", reference))?.agent ?? reference
  }
  if (NUMBER_PATTERN.test(reference)) {
    const claim = await claimed<NumberClaim>(service, "number", reference.toUpperCase())
    return claim?.agent ?? numbered(service, reference, missing)
  }
  const claim = HANDLE_PATTERN.test(reference)
    ? await claimed<HandleClaim>(service, "handle", reference.toLowerCase())
    : null
  if (claim === null) throw missing
  return claim.agent
}

/** Older numbers have no claims in the log and are only in the read models. */
const numbered = async (service: Service, reference: string, missing: Fault): Promise<string> => {
  const row = await service.db
    .selectFrom("agents")
    .select("id")
    .where("number", "=", Number(reference.slice("HX-".length)))
    .executeTakeFirst()
    .catch(() => {
      throw new Fault("Postgres does not answer: name the agent by handle or hub id instead")
    })
  if (row === undefined) throw missing
  return row.id
}

/** Kinds whose actors are found by a reference to their agent. */
const OF_AGENTS: ReadonlySet<string> = new Set(["agent", "mailer", "mail_domain_holder", "vault"])

/** The number of the open mailbox at an address. */
const mailboxAt = async (service: Service, address: string): Promise<string> => {
  const mailbox =
    (await claimed<NonNullable<MailAddress>>(service, "mail_address", addressId(address)))?.mailbox ?? null
  if (mailbox === null) throw new Fault(`no mailbox is open at ${address}`)
  return String(mailbox)
}

/**
 * Finds actors of mail by the names that agents and people use: `em_12`, an address, a domain. `null` for other kinds
 * and forms.
 */
const ofMail = (service: Service, kind: string, reference: string): Promise<string> | string | null => {
  const text = reference.toLowerCase()
  if (kind === "mail" || kind === "mail_sending") return text.replace(/^em_/, "")
  if (kind === "mailbox" && text.includes("@")) return mailboxAt(service, text)
  if (kind === "mail_address" && text.includes("@")) return addressId(text)
  return kind === "mail_domain" && text.includes(".") ? domainId(text) : null
}

/** Finds the id of an actor of any kind. */
export const idOfReference = async (service: Service, kind: string, reference: string): Promise<string> => {
  if (OF_AGENTS.has(kind)) return hubIdOfReference(service, reference)
  const mail = await ofMail(service, kind, reference)
  if (mail !== null) return tokenOf(mail)
  if (kind === "handle") return tokenOf(reference.toLowerCase())
  if (kind === "number") return tokenOf(reference.toUpperCase())
  const key = kind === "key" ? decodeBase64(reference, PUBLIC_KEY_BYTES) : null
  return key === null ? tokenOf(reference) : hubIdOf(key)
}

const tokenOf = (id: string): string => {
  if (!ID_PATTERN.test(id)) throw new Fault("an id holds no space, no dot, no * and no >")
  return id
}
