/**
 * Gives out a private key, sealed to the one-time key of a fill service that has a valid token (contract 17).
 *
 * Invariants
 *  - The keeper itself makes the tokens and stores their hashes, so no actor and no edge can make a valid one.
 *  - A repeated request gets the same token, because the first answer may have been late or lost, and a new token would
 *    end the first one. It is refused if a newer token has replaced that one.
 *  - A token gives the key to one one-time key. A repeat for the same one-time key succeeds, because an answer may be
 *    lost. For another one it is refused.
 *  - The vault's journal records that the key was loaded before the key leaves. Keeper and vault must both allow it.
 */
import { createHash, randomUUID, timingSafeEqual } from "node:crypto"
import { Effect } from "effect"
import type { Queries } from "../../../schemas/bus/operations.ts"
import { invalidField, notFound, type Refusal, unavailable } from "../../../schemas/errors.ts"
import { vaultTokenOf } from "../../../schemas/vault/token.ts"
import type { Asking } from "../../kit/worker/asks.ts"
import { QueryRefused } from "../../queries/refused.ts"
import { KEY_TAKEN, NOT_ACTIVE, TOKEN_INVALID } from "../refusals.ts"
import { sealedTo } from "./pairs.ts"
import { type KeeperStore, stored } from "./store.ts"

const NO_KEY = invalidField("ephemeral_public_key", "ephemeral_public_key is no public key of X25519.")
const NOTHING = new Uint8Array(0)

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
const isSame = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other))

interface Parts {
  readonly ask: Asking
  readonly store: KeeperStore
}

/**
 * Uses the token for this one-time key. Fails if the keeper did not make it for this vault, or if it was used with
 * another key.
 */
const used = (
  { store }: Parts,
  agent: string,
  place: string,
  { hash, vault, ephemeral }: { readonly hash: string; readonly vault: string; readonly ephemeral: string }
): Effect.Effect<void, Refusal> =>
  Effect.gen(function* () {
    const known = yield* stored(() => store.tokenAt(agent, place))
    if (known === null || known.vault !== vault || !isSame(known.hash, hash))
      return yield* Effect.fail(TOKEN_INVALID.refused)
    if (known.ephemeral === ephemeral) return
    if (known.ephemeral !== null) return yield* Effect.fail(KEY_TAKEN.refused)
    yield* stored(() => store.keepToken(agent, place, { hash, vault, ephemeral }, known.seq))
    const after = yield* stored(() => store.tokenAt(agent, place))
    if (after?.ephemeral !== ephemeral) return yield* Effect.fail(KEY_TAKEN.refused)
  })

const given = (
  parts: Parts,
  { agent, token, ephemeral_public_key }: Queries["keeper_key"]["input"]
): Effect.Effect<Queries["keeper_key"]["output"], Refusal> =>
  Effect.gen(function* () {
    const { ask, store } = parts
    const [hash, ephemeral] = [sha256(token), sha256(ephemeral_public_key)]
    const sealing = (bytes: Uint8Array) =>
      Effect.tryPromise({ try: () => sealedTo(bytes, ephemeral_public_key), catch: () => NO_KEY })
    // An invalid one-time key uses up no token.
    yield* sealing(NOTHING)
    const { uid, place } = yield* ask(`load-${hash}-${ephemeral}`, "vault.load_key", agent, { hash, ephemeral })
    yield* used(parts, agent, place, { hash, vault: uid, ephemeral })
    const key = yield* stored(() => store.privateKeyOf(uid))
    if (key === null) return yield* Effect.fail(NOT_ACTIVE.refused)
    const sealed_key = yield* Effect.ensuring(
      sealing(key.bytes),
      Effect.sync(() => void key.bytes.fill(0))
    )
    return { vault: uid, public_key: key.public_key, sealed_key }
  })

const issued = (
  { ask, store }: Parts,
  { agent, place, request = randomUUID() }: Queries["keeper_issue"]["input"]
): Effect.Effect<Queries["keeper_issue"]["output"], Refusal> =>
  Effect.gen(function* () {
    const token = vaultTokenOf("service", agent, store.tokenFor(agent, place, request))
    const hash = sha256(token)
    const { uid, status } = yield* ask(`look-${hash}`, "vault.look", agent, null)
    if (status !== "active") return yield* Effect.fail(NOT_ACTIVE.refused)
    const known = yield* stored(() => store.tokenAt(agent, place))
    // The id is new each time, so that the vault judges a repeat by its present state.
    yield* ask(`admit-${randomUUID()}`, "vault.admit_service", agent, { uid, place, hash })
    if (known?.hash === hash) return { token }
    // If another request has stored its token meanwhile, this write is refused, and the repeated request is judged.
    yield* stored(() => store.keepToken(agent, place, { hash, vault: uid, ephemeral: null }, known?.seq))
    const after = yield* stored(() => store.tokenAt(agent, place))
    if (after?.hash !== hash) return yield* Effect.fail(unavailable("Another token was made at the same time."))
    return { token }
  })

const answered = <A>(effect: Effect.Effect<A, Refusal>): Promise<A> =>
  Effect.runPromise(
    Effect.match(effect, {
      onSuccess: (data) => ({ data }),
      onFailure: (refused: Refusal) => ({ refused })
    })
  ).then((outcome) => {
    if ("refused" in outcome) throw new QueryRefused(outcome.refused)
    return outcome.data
  })

export const keeperQueries = (parts: Parts) => ({
  keeper_key: (input: Queries["keeper_key"]["input"]) => answered(given(parts, input)),
  keeper_issue: (input: Queries["keeper_issue"]["input"]) => answered(issued(parts, input)),
  keeper_issue_inside: ({ agent, compartment, request = randomUUID() }: Queries["keeper_issue_inside"]["input"]) =>
    answered(
      Effect.flatMap(parts.ask(randomUUID(), "compartment.runs_for", compartment, { agent }), ({ runs }) =>
        runs ? issued(parts, { agent, place: compartment, request }) : Effect.fail(notFound("compartment"))
      )
    ),
  keeper_health: () =>
    answered(
      Effect.map(
        stored(() => parts.store.opens()),
        (key_ok) => ({ key_ok })
      )
    ),
  keeper_rewrap: () =>
    answered(
      Effect.map(
        stored(() => parts.store.rewrap()),
        (keys) => ({ keys })
      )
    )
})
