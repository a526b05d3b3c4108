/** Helpers for writes of content: checks of required fields, the caller, and the daily limit of bytes. */
import { Effect } from "effect"
import type { Operations } from "../../schemas/bus/operations.ts"
import type { Caller } from "../../schemas/content/author.ts"
import { invalidField, notFound, type Refusal } from "../../schemas/errors.ts"
import { type Bus, parse } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import { ignoredIn } from "../http/ignored.ts"
import { isRecord, parseJson } from "../http/json.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { turnFor } from "../http/turns.ts"
import { author, own } from "../bus/own.ts"
import { withoutSecrets } from "./secrets.ts"
import { textsIn } from "./texts.ts"

const NUMBER = /^[1-9]\d{0,14}$/

/** The number in a path. Any other text names no resource. */
export const numberOf = (resource: string, text: string): Effect.Effect<number, Refused> =>
  NUMBER.test(text) ? Effect.succeed(Number(text)) : Effect.fail(refuse(notFound(resource)))

/** The refusal of a body that changes nothing (spec 4.4). It names the unknown fields of the body. */
export const nothingToUpdate = (value: unknown, fields: ReadonlyArray<string>): Refusal => {
  const ignored = isRecord(value) ? ignoredIn(value, {}) : []
  return invalidField("body", "Nothing to update", { fields, ...(ignored.length === 0 ? {} : { ignored }) })
}

/** The body of a change. It must contain one of `fields` and none of `fixed`. */
export const changeIn = (
  { body }: { readonly body: Uint8Array },
  fields: ReadonlyArray<string>,
  fixed: ReadonlyArray<string> = []
): Effect.Effect<unknown, Refused> => {
  const parsed = parseJson(body)
  if (!parsed.ok) return Effect.fail(refuse(parsed.refusal))
  const { value } = parsed
  if (!isRecord(value)) return Effect.succeed(value)
  const never = fixed.find((name) => Object.hasOwn(value, name))
  if (never !== undefined) return Effect.fail(refuse(invalidField(never, `${never} never changes.`)))
  return fields.some((field) => Object.hasOwn(value, field))
    ? Effect.succeed(value)
    : Effect.fail(refuse(nothingToUpdate(value, fields)))
}

/** Refuses a body whose texts contain a secret (contract "Common"). */
export const textsChecked = (call: Call, texts: object): Effect.Effect<void, Refused> =>
  withoutSecrets(textsIn(texts), author(call), turnFor(call))

/**
 * The bytes that count for the smallest writes. A vote or a deletion adds at most this much to the log: events, entries
 * of scores, their commits.
 */
export const WRITE_MIN_BYTES = 1200

/**
 * Has the actor check the signature's nonce, counts the write among the agent's bytes of the day, and returns the
 * caller. A repeated request whose command was carried out before (`call.again`) counts nothing.
 */
export const admitted = (bus: Bus, call: Call, taking: Partial<Taking> = {}): Effect.Effect<Caller, Refused> =>
  Effect.map(admittedByName(bus, call, taking), ({ agent, operator }) => ({ agent, operator }))

/** Like `admitted`, for a request with a vault's token. The bytes count in the holders' part of the agent's bytes. */
export const admittedHolding = (
  bus: Bus,
  call: Call,
  actor: string,
  { log = Math.max(WRITE_MIN_BYTES, call.body.length), upload = 0 }: Partial<Taking> = {}
): Effect.Effect<void, Refused> => {
  const taken = call.again ? NOTHING : { bytes: log, ...(upload === 0 ? {} : { upload }) }
  return Effect.asVoid(bus.ask(call, { actor, op: "content.admit", input: { ...taken, holder: true } }))
}

/** Like `admitted`, with the agent's handle. */
export const admittedByName = (
  bus: Bus,
  call: Call,
  { log = Math.max(WRITE_MIN_BYTES, call.body.length), upload = 0 }: Partial<Taking> = {}
): Effect.Effect<Admitted, Refused> => {
  const taken = call.again ? NOTHING : { bytes: log, ...(upload === 0 ? {} : { upload }) }
  return Effect.map(own(bus, call, "content.admit", taken), parse<Admitted>)
}

type Admitted = Operations["content.admit"]["output"]

const NOTHING = { bytes: 0 }

/** Bytes that count toward the agent's daily limits. */
interface Taking {
  /** The bytes that the write adds to the log. */
  readonly log: number
  /** Bytes that are stored beside the log. */
  readonly upload: number
}
