/**
 * Notifications that tell of people. What stands in the log holds ids alone: how somebody is called, and what an owner
 * wrote, is added for whoever reads or gets it, as it is then, and is gone with the account
 * (ops/docs/decisions/0050, 0054).
 */
import type { NotificationName } from "./types.ts"

type Payload = Readonly<Record<string, unknown>>

/** Where the id of a person stands. */
const PLACES: Readonly<Partial<Record<NotificationName, readonly [field: string, id: string]>>> = {
  "sponsorship.requested": ["human", "id"],
  "sponsorship.withdrawn": ["human", "id"],
  "owner.message": ["owner", "human_id"]
}

const OF_OWNERS: ReadonlySet<string> = new Set<NotificationName>(["owner.message"])

const placeIn = (about: string) => (Object.hasOwn(PLACES, about) ? PLACES[about as NotificationName] : undefined)

export const isCompleted = (about: string): boolean => placeIn(about) !== undefined

/** What is to be added: how that person is called, and what that message of an owner says. */
export interface Wanting {
  readonly human: string
  readonly message: number | null
}

/** `null` where it is whole, or where no id stands in it. */
export const wantedBy = (about: string, payload: Payload): Wanting | null => {
  const place = placeIn(about)
  const person = place === undefined ? undefined : payload[place[0]]
  if (place === undefined || typeof person !== "object" || person === null) return null
  const human: unknown = Object.entries(person).find(([name]) => name === place[1])?.[1]
  const message = payload["message_id"]
  if (typeof human !== "string") return null
  return { human, message: OF_OWNERS.has(about) && typeof message === "number" ? message : null }
}

/** `name`, `text`: `null` where the account is deleted. */
export const completed = (
  about: string,
  payload: Payload,
  { human, message }: Wanting,
  { name, text }: { readonly name: string | null; readonly text: string | null }
): Payload => {
  const place = placeIn(about)
  if (place === undefined) return payload
  const named = { ...payload, [place[0]]: { [place[1]]: human, name } }
  return message === null ? named : { ...named, text }
}
