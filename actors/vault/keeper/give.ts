/**
 * Gives out a vault's private key, sealed to the one-time key of a fill service that has a valid token (contract 17).
 * Each token is for one place: a compartment, or the operator's fill service.
 *
 * Invariants
 *  - The keeper itself makes the tokens and stores their hashes, so no actor and no edge can make a valid one.
 *  - Requests for tokens of one place take turns, and tries of one query share one run (turns.ts).
 *  - The keeper first stores a token, which gives it a number in the order of the place's tokens (tokens.ts). Then the
 *    vault admits it, unless the vault has a later one. Only this admission ends the previous token. So the latest
 *    admitted token is valid, even if several keepers work at the same time, or one ends between two steps.
 *  - A repeated request gets the same token, because the first answer may have been late or lost, and a new token would
 *    end the first one. It is refused if a newer token has replaced that one.
 *  - No admission and no load begins after the asker has stopped waiting, because the asker then takes the request as
 *    failed.
 *  - A token works with one one-time key. A repeat with the same one-time key succeeds, because an answer may be lost.
 *    A request with another one-time key is refused.
 *  - The key is given out only if both keeper and vault allow it, and after the vault's journal has recorded the load.
 */
import { createHash, randomUUID, timingSafeEqual } from "node:crypto"
import { type Clock, Effect } from "effect"
import type { Queries, QueryName } from "../../../schemas/bus/operations.ts"
import { invalidField, notFound, type Refusal, unavailable } from "../../../schemas/errors.ts"
import { wallMs } from "../../../schemas/runtime/clock.ts"
import { vaultTokenOf } from "../../../schemas/vault/token.ts"
import type { Asking } from "../../kit/worker/asks.ts"
import { QueryRefused } from "../../queries/refused.ts"
import type { AskedUntil } from "../../queries/serve.ts"
import { KEY_TAKEN, NOT_ACTIVE, TOKEN_INVALID } from "../refusals.ts"
import { sealedTo } from "./pairs.ts"
import { type KeeperStore, stored } from "./store.ts"
import { type PlaceToken, type PlaceTokens, tokenOf, withToken, withUse } from "./tokens.ts"
import { LATE, Tries, Turns } from "./turns.ts"

const NO_KEY = invalidField("ephemeral_public_key", "ephemeral_public_key is no public key of X25519.")
const NOTHING = new Uint8Array(0)
const CONTENDED = unavailable("Other requests changed the tokens of this place at the same time. Try again.")
/** The part of the deadline that is reserved for the answer after the vault's decision. */
const ANSWER_MS = 250
/** The most tries of a change. A try fails if the list was written by another request in between. */
const CHANGES_MAX = 10

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
const isSame = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other))

interface Parts {
  readonly clock: Clock.Clock
  readonly ask: Asking
  readonly store: Pick<KeeperStore, "keepTokens" | "privateKeyOf" | "tokenFor" | "tokensAt">
}

/** Fails if the answer would come too late. It runs before each step that ends a token or uses one up. */
const inTime = ({ clock }: Parts, asked: AskedUntil): Effect.Effect<Pick<AskedUntil, "deadline">, Refusal> =>
  Effect.suspend(() => {
    const deadline = actsBy(asked)
    return wallMs(clock) < deadline ? Effect.succeed({ deadline }) : Effect.fail(LATE)
  })

const actsBy = ({ deadline }: AskedUntil): number => deadline - ANSWER_MS

/** Changes the newest list of a place's tokens. If `change` returns `null`, the list stays as it is. */
const changeTokens = (
  { store }: Parts,
  agent: string,
  place: string,
  change: (known: PlaceTokens) => Effect.Effect<ReadonlyArray<PlaceToken> | null, Refusal>
): Effect.Effect<ReadonlyArray<PlaceToken>, Refusal> =>
  Effect.gen(function* () {
    for (let tries = 0; tries < CHANGES_MAX; tries++) {
      const known = yield* stored(() => store.tokensAt(agent, place))
      const next = yield* change(known)
      if (next === null) return known.tokens
      if (yield* stored(() => store.keepTokens(agent, place, next, known.seq))) return next
    }
    return yield* Effect.fail(CONTENDED)
  })

/**
 * Uses the token for this one-time key. Fails if the keeper did not make it for this vault, or if it was used with
 * another key.
 */
const used = (
  parts: Parts,
  agent: string,
  place: string,
  { hash, vault, ephemeral }: { readonly hash: string; readonly vault: string; readonly ephemeral: string }
): Effect.Effect<unknown, Refusal> =>
  changeTokens(parts, agent, place, (known) => {
    const token = known.tokens.find((one) => one.vault === vault && isSame(one.hash, hash))
    if (token === undefined) return Effect.fail(TOKEN_INVALID.refused)
    if (token.ephemeral === ephemeral) return Effect.succeed(null)
    return token.ephemeral === null ? Effect.succeed(withUse(known, token, ephemeral)) : Effect.fail(KEY_TAKEN.refused)
  })

const given = (
  parts: Parts,
  { agent, token, ephemeral_public_key }: Queries["keeper_key"]["input"],
  asked: AskedUntil
): Effect.Effect<Queries["keeper_key"]["output"], Refusal> =>
  Effect.gen(function* () {
    const { ask, store } = parts
    const [hash, ephemeral] = [sha256(token), sha256(ephemeral_public_key)]
    const sealing = (bytes: Uint8Array) =>
      Effect.tryPromise({ try: () => sealedTo(bytes, ephemeral_public_key), catch: () => NO_KEY })
    // This checks the one-time key, so that an invalid one uses up no token.
    yield* sealing(NOTHING)
    const within = yield* inTime(parts, asked)
    // A new command id for each call. With the same id, the vault would repeat its earlier answer.
    const { uid, place } = yield* ask(`load-${randomUUID()}`, "vault.load_key", agent, { hash, ephemeral }, within)
    yield* used(parts, agent, place, { hash, vault: uid, ephemeral })
    const key = yield* stored(() => store.privateKeyOf(uid))
    if (key === null) return yield* Effect.fail(NOT_ACTIVE.refused)
    const sealed_key = yield* Effect.ensuring(
      sealing(key.bytes),
      Effect.sync(() => void key.bytes.fill(0))
    )
    return { vault: uid, public_key: key.public_key, sealed_key }
  })

/** `run`: the run of the compartment for which the token is. Absent for the operator's place and from older releases. */
type Issue = Queries["keeper_issue"]["input"] & { readonly run?: number }

const issued = (
  parts: Parts,
  { agent, place, request = randomUUID(), run }: Issue,
  asked: AskedUntil
): Effect.Effect<Queries["keeper_issue"]["output"], Refusal> =>
  Effect.gen(function* () {
    const { ask, store } = parts
    const token = vaultTokenOf("service", agent, store.tokenFor(agent, place, request))
    const hash = sha256(token)
    const { uid, status } = yield* ask(`look-${hash}`, "vault.look", agent, null, asked)
    if (status !== "active") return yield* Effect.fail(NOT_ACTIVE.refused)
    const made = { hash, vault: uid }
    yield* inTime(parts, asked)
    const tokens = yield* changeTokens(parts, agent, place, (known) =>
      Effect.succeed(tokenOf(known, made) === null ? withToken(known, made) : null)
    )
    const order = tokens.find((one) => one.hash === hash)?.order ?? 0
    const within = yield* inTime(parts, asked)
    // A new command id for each call. With the same id, the vault would repeat its earlier answer.
    const ofRun = run === undefined ? {} : { run }
    yield* ask(`admit-${randomUUID()}`, "vault.admit_service", agent, { uid, place, hash, order, ...ofRun }, within)
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

export const keeperQueries = (parts: Parts & { readonly store: Pick<KeeperStore, "opens" | "rewrap"> }) => {
  const turns = new Turns(parts.clock)
  const tries = new Tries()

  const once = <Name extends QueryName>(
    name: Name,
    input: Queries[Name]["input"],
    { until }: AskedUntil,
    effect: Effect.Effect<Queries[Name]["output"], Refusal>
  ): Promise<Queries[Name]["output"]> =>
    until === null ? answered(effect) : tries.run(sha256(JSON.stringify([name, input, until])), () => answered(effect))

  const inTurn = (input: Issue, asked: AskedUntil) =>
    turns.take(`${input.agent} ${input.place}`, actsBy(asked), issued(parts, input, asked))

  return {
    keeper_key: (input: Queries["keeper_key"]["input"], asked: AskedUntil) =>
      once("keeper_key", input, asked, given(parts, input, asked)),
    keeper_issue: (input: Queries["keeper_issue"]["input"], asked: AskedUntil) =>
      once("keeper_issue", input, asked, inTurn(input, asked)),
    keeper_issue_inside: (input: Queries["keeper_issue_inside"]["input"], asked: AskedUntil) => {
      const { agent, compartment: place, request = randomUUID(), run } = input
      const issuing = Effect.flatMap(
        parts.ask(randomUUID(), "compartment.runs_for", place, { agent }, asked),
        (present) => {
          const ofRun = run ?? present.run
          if (!present.runs || ofRun !== (present.run ?? ofRun)) return Effect.fail(notFound("compartment"))
          return inTurn({ agent, place, request, ...(ofRun === undefined ? {} : { run: ofRun }) }, asked)
        }
      )
      return once("keeper_issue_inside", input, asked, issuing)
    },
    keeper_health: () =>
      answered(
        Effect.map(
          stored(() => parts.store.opens()),
          (key_ok) => ({ key_ok })
        )
      ),
    keeper_rewrap: ({ from }: Queries["keeper_rewrap"]["input"]) => answered(stored(() => parts.store.rewrap(from)))
  }
}
