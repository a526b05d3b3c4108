/** A person's choice of relayed events, and the counts of sent ones, as part of the account's state. Pure. */
import { Schema } from "effect"
import {
  type Choice,
  isAsked,
  isSecurity,
  StoredChoice,
  OWNER_CONFIRMED,
  relayedEvent
} from "../../../schemas/relay/events.ts"
import { event } from "../../engine/events.ts"
import { News, withNews } from "./room.ts"

export interface About {
  readonly agent: string
  readonly event: string
}

export const RelayState = Schema.Struct({
  /** Choices by event, if they differ from its default. */
  choices: Schema.Record(Schema.String, StoredChoice),
  /** Unix ms of the latest summary letters and letters about other events than those below, oldest first. */
  letters: Schema.Array(Schema.Number),
  /**
   * The latest letters about security events, which have their own limit. New owners do not count, because each of them
   * is reported.
   */
  security_letters: Schema.optionalKey(News),
  /** The latest letters about requests of agents, which have their own limit. */
  asked_letters: Schema.optionalKey(News),
  /** The events that wait for a summary letter: the agent, the event, and the count. */
  held: Schema.Array(Schema.Struct({ agent: Schema.String, event: Schema.String, count: Schema.Int })),
  /** Unix ms at which the summary letter is due; `null` if no event waits. */
  due: Schema.NullOr(Schema.Number)
})
export type RelayState = typeof RelayState.Type

export const RELAY_EVENTS = [
  event("human.relay_chosen", 1, { choices: Schema.Record(Schema.String, StoredChoice) }),
  event("human.relayed", 1, { agent: Schema.String, event: Schema.String }),
  /** There was no room for a separate letter about the event. */
  event("human.relay_held", 1, { agent: Schema.String, event: Schema.String, due: Schema.Number }),
  event("human.relay_digested", 1)
] as const
export type RelayEvent = (typeof RELAY_EVENTS)[number]["Type"]

export const NO_RELAY: RelayState = { choices: {}, letters: [], held: [], due: null }

/** Larger than every limit, so no further letters need to be remembered. */
const LETTERS_MAX = 100
/**
 * The maximum number of kinds of events that one letter lists. Further ones are only counted together. As many
 * additional places are reserved for security events.
 */
export const HELD_MAX = 50
/** Stands for all further kinds of events. */
export const OTHERS: About = { agent: "", event: "" }

const withLetter = (letters: RelayState["letters"], at: number): RelayState["letters"] =>
  [...letters, at].slice(-LETTERS_MAX)

/** The held entry that counts an event; `null` if it needs a new entry. */
const placeIn = (held: RelayState["held"], { agent, event }: About): RelayState["held"][number] | null => {
  const found = held.find((one) => one.agent === agent && one.event === event)
  if (found !== undefined || event === "") return found ?? null
  const alike = held.filter((one) => isSecurity(one.event) === isSecurity(event))
  return alike.length < HELD_MAX ? null : placeIn(held, OTHERS)
}

/** True if the summary letter already counts events of this kind, under their own name or under others. */
export const isHeld = (held: RelayState["held"], about: About): boolean => placeIn(held, about) !== null

const counted = (held: RelayState["held"], { agent, event }: About): RelayState["held"] => {
  const place = placeIn(held, { agent, event })
  if (place !== null) return held.map((one) => (one === place ? { ...one, count: one.count + 1 } : one))
  const alike = held.filter((one) => isSecurity(one.event) === isSecurity(event))
  return [...held, { ...(alike.length < HELD_MAX ? { agent, event } : OTHERS), count: 1 }]
}

export const heldCount = (held: RelayState["held"]): number => held.reduce((sum, { count }) => sum + count, 0)

/** Sorts security events first, and the entry for further kinds last, because a long letter is cut at its end. */
export const heldFirst = (held: RelayState["held"]): RelayState["held"] => [
  ...held.filter(({ event }) => isSecurity(event)),
  ...held.filter(({ event }) => !isSecurity(event) && event !== ""),
  ...held.filter(({ event }) => event === "")
]

export const evolveRelay = (relay: RelayState, event: RelayEvent, at: number): RelayState => {
  switch (event.type) {
    case "human.relay_chosen":
      return { ...relay, choices: event.choices }
    case "human.relayed":
      if (event.event === OWNER_CONFIRMED) return relay
      if (isSecurity(event.event))
        return { ...relay, security_letters: withNews(relay.security_letters ?? [], event, at) }
      return isAsked(event.event)
        ? { ...relay, asked_letters: withNews(relay.asked_letters ?? [], event, at) }
        : { ...relay, letters: withLetter(relay.letters, at) }
    case "human.relay_held":
      return { ...relay, held: counted(relay.held, event), due: event.due }
    case "human.relay_digested":
      return { ...relay, letters: withLetter(relay.letters, at), held: [], due: null }
  }
}

const NOT_AT_ALL: Choice = { email: false, chat: false, push: false }

/** An event that this release does not know is not sent through any channel. */
export const choiceOf = ({ choices }: RelayState, event: string): Choice => {
  const known = relayedEvent(event)
  if (known === null) return NOT_AT_ALL
  return { ...known.byDefault, ...(Object.hasOwn(choices, event) ? choices[event] : undefined) }
}
