/**
 * Admits requests with a token of a vault (spec 5.4): a source, which writes entries and reads none, or a fill service.
 *
 * Invariants
 *  - A text that does not look like a token is refused before a body is read. The vault decides each time whether it is
 *    valid.
 *  - An invalid token counts as an unsigned request, so that guessing tokens is limited. A valid one of a
 *    fill service uses its agent's bucket, one of a source the bucket of the agent's sources. Each may do what its agent's
 *    status allows.
 *  - The token itself is passed on only to the keeper (`keeper_key`). All other parts get its hash.
 */
import { Effect } from "effect"
import { type Refusal, refusal } from "../../schemas/errors.ts"
import { tokenInvalid, vaultToken } from "../../schemas/vault/token.ts"
import { bearerToken } from "../auth/bearer.ts"
import type { Bus } from "../bus/bus.ts"
import type { Call } from "../http/call.ts"
import { drawnOf, type EdgeLimits } from "../http/limits.ts"
import { tokenHash } from "../human/index.ts"
import type { Refused } from "../http/refused.ts"
import type { TokenKind } from "../../schemas/envelope.ts"
import type { Bearer, Holder } from "../http/holder.ts"

const noToken = refusal("authentication_required", "This needs a vault's token: send `Authorization: Bearer hx…`.", {
  scheme: "Bearer"
})

/** Checks only the form of the token. `null` for a signed request where a signature suffices; its token is not read. */
export const readHolder = (call: Call, wanted: TokenKind, signed: boolean): Bearer | Refusal | null => {
  if (wanted === "any" && signed) return null
  const token = bearerToken(call)
  if (token === null) return noToken
  const read = vaultToken(token)
  if (read === null || (wanted !== "any" && read.type !== wanted)) return tokenInvalid
  return { ...read, token, hash: tokenHash(token) }
}

export const isBearer = (read: Bearer | Refusal): read is Bearer => "hash" in read

/**
 * Reports an invalid token to the vault, which alerts the agent and its owners if the token was valid once. The caller
 * does not learn this.
 */
const misused = (bus: Bus, call: Call, { agent: actor, hash }: Bearer): Effect.Effect<void> =>
  Effect.ignore(bus.ask(call, { actor, op: "vault.misused", input: { hash }, anew: true }))

export const admittedHolder = (
  bus: Bus,
  limits: EdgeLimits,
  call: Call,
  bearer: Bearer
): Effect.Effect<Holder, Refused> =>
  Effect.gen(function* () {
    const { agent: actor, type, hash } = bearer
    const vault = yield* Effect.catch(
      bus.read(call, { actor, op: "vault.by_token", input: { type, hash }, anew: true }),
      (failed) =>
        failed.refusal.code === "token_invalid"
          ? // First the report: a client that has nothing left to draw would keep a stolen token secret otherwise.
            Effect.andThen(
              Effect.andThen(misused(bus, call, bearer), drawnOf(limits, "anon", call)),
              Effect.fail(failed)
            )
          : Effect.fail(failed)
    )
    const writes = call.method !== "GET" && call.method !== "HEAD"
    const input = { writes, ...(type === "source" ? { source: true as const } : {}) }
    yield* bus.ask(call, { actor, op: "agent.admit_token", input, anew: true })
    return { ...bearer, vault }
  })

/** The holder of a call's token. Throws if there is none, which cannot happen at endpoints for tokens. */
export const holding = (call: Call): Holder => {
  if (call.holder === null) throw new Error("An endpoint for tokens was entered by nobody")
  return call.holder
}
