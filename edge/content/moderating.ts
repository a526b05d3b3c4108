/**
 * Operators' changes to others' content (contract 19). A request with such a change may not change a field of authors.
 */
import { Effect, Schema } from "effect"
import { Hiding } from "../../schemas/content/hiding.ts"
import { invalidField } from "../../schemas/errors.ts"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import { isRecord, valueDecoder } from "../http/json.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { type ContentLook, standing } from "./standing.ts"

export const HIDING_FIELDS = ["hidden", "hidden_reason"] as const

const decodeHiding = valueDecoder(Schema.Struct(Hiding))

export interface Moderation {
  readonly hidden: boolean
  readonly reason: string | null
}

const invalid = (field: string, message: string) => Effect.fail(refuse(invalidField(field, message)))

/**
 * Refuses a body that has one of `fields`. Callers use it for a body with an operator's field, and name the fields of
 * authors and of other actions.
 */
export const without = (given: unknown, fields: ReadonlyArray<string>): Effect.Effect<void, Refused> => {
  const other = isRecord(given) ? fields.find((field) => Object.hasOwn(given, field)) : undefined
  return other === undefined
    ? Effect.void
    : invalid(other, `${other} and what operators change go in requests of their own.`)
}

/**
 * The moderation in the body of a change; `null` if the body has none of `HIDING_FIELDS`. `own`: the fields that
 * authors change.
 */
export const moderationIn = (
  call: Call,
  given: unknown,
  own: ReadonlyArray<string>
): Effect.Effect<Moderation | null, Refused> =>
  Effect.gen(function* () {
    if (!isRecord(given) || !HIDING_FIELDS.some((field) => Object.hasOwn(given, field))) return null
    yield* without(given, own)
    const { hidden, hidden_reason: reason = null } = yield* decodeHiding(call, given)
    if (hidden === undefined) return yield* invalid("hidden", "hidden_reason goes with hidden.")
    if (hidden && reason === null) return yield* invalid("hidden_reason", "Say why: hidden_reason.")
    return { hidden, reason }
  })

interface Hideable {
  readonly hidden?: boolean
  readonly hidden_reason?: string | null
}

/** Returns the record as it is after the change, because read models that lag may still show the earlier state. */
export const moderate = <Item extends Hideable>(
  bus: Bus,
  call: Call,
  what: ContentLook,
  { hidden, reason }: Moderation,
  shown: Effect.Effect<Item, Refused>
): Effect.Effect<object, Refused> => {
  const { noun, id, by } = what
  const asked = bus.read(call, { actor: String(id), op: `${noun}.hide`, input: { by, hidden, reason } })
  return Effect.map(Effect.andThen(asked, standing(bus, call, what, shown)), (item) => {
    const { hidden: _hidden, hidden_reason = reason, ...rest } = item
    return hidden ? { ...rest, hidden, hidden_reason } : rest
  })
}
