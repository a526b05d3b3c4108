/**
 * The bearer token of a person's session (spec 5.2).
 *
 * Invariants
 *  - A text that does not look like a token is refused before a body is read.
 *  - The account is asked each time if a session is valid, so a session that has ended is refused by every edge.
 *  - The token itself is not passed on: the account knows its hash.
 */
import { Effect } from "effect"
import { HUMAN_PREFIX, SESSION_TOKEN } from "../../schemas/human/fields.ts"
import { type Refusal, refusal } from "../../schemas/errors.ts"
import { bearerToken } from "../auth/bearer.ts"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import { drawn, drawnOf, type EdgeLimits } from "../http/limits.ts"
import type { Refused } from "../http/refused.ts"
import type { Bearer, Person } from "../http/person.ts"
import { tokenHash } from "./token-hash.ts"

const noToken = refusal("authentication_required", "This needs a person's token: send `Authorization: Bearer hxh_…`.", {
  scheme: "Bearer"
})
const noSession = refusal("session_invalid", "This is no token of a session that holds. Log in again.")

/** `null` if the text is not a token. */
export const bearerOf = (token: string): Bearer | null => {
  const human = SESSION_TOKEN.exec(token)?.[1]
  return human === undefined ? null : { human: `${HUMAN_PREFIX}${human}`, token: tokenHash(token) }
}

/** Reads the token from its form alone, without asking the account. */
export const readBearer = (call: Call): Bearer | Refusal => {
  const token = bearerToken(call)
  return token === null ? noToken : (bearerOf(token) ?? noSession)
}

export const isBearer = (read: Bearer | Refusal): read is Bearer => "token" in read

/** The person of a request. A write uses the person's own bucket. */
export const personOf = (bus: Bus, limits: EdgeLimits, call: Call, bearer: Bearer): Effect.Effect<Person, Refused> =>
  Effect.gen(function* () {
    const { human, token } = bearer
    const held = yield* bus.read(call, { actor: human, op: "human.session", input: { token } })
    if (call.method !== "GET" && call.method !== "HEAD") yield* drawn(limits, "human_write", human)
    return { ...bearer, email_verified: held.email_verified }
  })

/**
 * Like `personOf`, for the interface. Invalid tokens count as requests without a token, so that guessing tokens is
 * limited.
 */
export const admittedPerson = (
  bus: Bus,
  limits: EdgeLimits,
  call: Call,
  bearer: Bearer
): Effect.Effect<Person, Refused> =>
  Effect.catch(personOf(bus, limits, call, bearer), (failed) =>
    failed.refusal.code === "session_invalid" && call.endpoint?.drawsAnon === false
      ? Effect.andThen(drawnOf(limits, "anon", call), Effect.fail(failed))
      : Effect.fail(failed)
  )

/** The person of a call. Throws if there is none, which cannot happen at endpoints for people. */
export const asking = (call: Call): Person => {
  if (call.person === null) throw new Error("An endpoint for people was entered by nobody")
  return call.person
}
