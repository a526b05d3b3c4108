/**
 * Completes notifications about people or mail, for which the log has only ids. Names of people, texts of owners and
 * the content of mail are added when a notification is read or delivered. They disappear with the account or the
 * mailbox (ops/docs/decisions/0050, 0054, 0058).
 */
import type { NotifiedMail } from "../mail/operations.ts"
import { MESSAGE_ID } from "../mail/records.ts"
import { addressesOf } from "../mail/sent.ts"
import type { NotificationName } from "./types.ts"

type Payload = Readonly<Record<string, unknown>>

/** The fields that hold a person's id. */
const PLACES: Readonly<Partial<Record<NotificationName, readonly [field: string, id: string]>>> = {
  "sponsorship.requested": ["human", "id"],
  "sponsorship.withdrawn": ["human", "id"],
  "owner.message": ["owner", "human_id"]
}

const OF_OWNERS: ReadonlySet<string> = new Set<NotificationName>(["owner.message"])
const OF_MAIL: ReadonlySet<string> = new Set<NotificationName>(["email.received", "email.bounced", "email.complained"])

const placeIn = (about: string) => (Object.hasOwn(PLACES, about) ? PLACES[about as NotificationName] : undefined)

export const isCompleted = (about: string): boolean => placeIn(about) !== undefined || OF_MAIL.has(about)

/** The content to add: a person's name and the message of an owner, or the content of a mail. */
export type Wanting =
  | { readonly of: "person"; readonly human: string; readonly message: number | null }
  | { readonly of: "mail"; readonly mail: number }

/** The content that is missing; `null` if the notification is complete, or has no id of such content. */
export const wantedBy = (about: string, payload: Payload): Wanting | null => {
  const message = payload["message_id"]
  if (OF_MAIL.has(about)) {
    const number = typeof message === "string" ? MESSAGE_ID.exec(message)?.[1] : undefined
    return number === undefined ? null : { of: "mail", mail: Number(number) }
  }
  const place = placeIn(about)
  const person = place === undefined ? undefined : payload[place[0]]
  if (place === undefined || typeof person !== "object" || person === null) return null
  const human: unknown = Object.entries(person).find(([name]) => name === place[1])?.[1]
  if (typeof human !== "string") return null
  return { of: "person", human, message: OF_OWNERS.has(about) && typeof message === "number" ? message : null }
}

/** A field is `null` if the notification has no such content, or if the account is deleted or the mail erased. */
export interface KnownSubject {
  readonly name: string | null
  readonly text: string | null
  readonly mail: NotifiedMail | null
}

export const completed = (
  about: string,
  payload: Payload,
  wanting: Wanting,
  { name, text, mail }: KnownSubject
): Payload => {
  if (wanting.of === "mail") return withMail(payload, mail)
  const place = placeIn(about)
  if (place === undefined) return payload
  const named = { ...payload, [place[0]]: { [place[1]]: wanting.human, name } }
  return wanting.message === null ? named : { ...named, text }
}

/** Adds the summary of a received message, or the recipients of a sent one. The log has only their numbers. */
const withMail = (payload: Payload, mail: NotifiedMail | null): Payload => {
  const { recipients } = payload
  if (!Array.isArray(recipients)) return mail?.box === "inbox" ? { ...payload, ...mail.summary } : payload
  const all = mail?.box === "sent" ? addressesOf(mail.summary) : []
  return { ...payload, recipients: recipients.flatMap((n: unknown) => all[Number(n) - 1] ?? []) }
}
