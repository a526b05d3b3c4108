/**
 * Fill services, and the tokens with which they ask the vault (spec 5.4; contract 17).
 *
 * Invariants
 *  - A token for the fill service in a compartment belongs to one run. It ends when the run ends, for whatever reason,
 *    and then leaves its place. If somebody stops, restarts, suspends or deletes the compartment, the token ends with
 *    that order, before the program has stopped: its host may not answer for a long time.
 *  - The compartment decides whether the run continues. The vault asks it within the command, so a late command about an
 *    earlier run never ends the token of a later one.
 *  - A token is admitted only while the run continues. If the run ends after that answer, the command about the end
 *    reaches the vault after the admission. If a stalled line delivers the admission late, the token leaves its place
 *    when the vault needs room.
 */
import { Effect } from "effect"
import type { Operations } from "../../schemas/bus/operations.ts"
import { COMPARTMENT_ID } from "../../schemas/compartment/fields.ts"
import { notFound, type Refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { Decision, PrepareContext } from "../engine/definition.ts"
import { Actors, anew } from "../engine/services.ts"
import { full, NO_VAULT, NOT_ACTIVE, OVERTAKEN, TOKEN_INVALID } from "./refusals.ts"
import type { ServiceValue, VaultEvent, VaultState } from "./state.ts"

type Decided = Decision<VaultEvent, null>
type TokenLimits = Pick<Limits["service"]["vault"], "tokens_max">
type Admission = Operations["vault.admit_service"]["input"]
/** The compartment's present run. Older releases do not answer with its number. */
type PresentRun = Operations["compartment.runs_for"]["output"]

/** True if the token's run is not the one that the compartment runs now. Tokens of older releases have no run. */
const isOver = ({ run }: Pick<ServiceValue, "run">, present: PresentRun): boolean =>
  !present.runs || (run !== undefined && present.run !== undefined && run !== present.run)

const presentRunOf = (compartment: string, context: PrepareContext): Effect.Effect<PresentRun, Refusal, Actors> =>
  Effect.flatMap(Actors, (actors) =>
    actors.ask(anew(context), "compartment.runs_for", compartment, { agent: context.id })
  )

const othersThan = (state: VaultState, place: string): ReadonlyArray<ServiceValue> =>
  (state?.services ?? []).filter((one) => one.place !== place)

export interface AdmissionFacts {
  /** True if the compartment does not run the run that the token is for. */
  readonly isOver: boolean
  /** Places of compartments whose run is over. Empty unless the vault has no other room for the token. */
  readonly over: ReadonlyArray<string>
}

export const admissionFacts = (
  state: VaultState,
  { place, run }: Admission,
  context: PrepareContext,
  { tokens_max }: TokenLimits
): Effect.Effect<AdmissionFacts, Refusal, Actors> =>
  Effect.gen(function* () {
    const isRunOver = run !== undefined && isOver({ run }, yield* presentRunOf(place, context))
    const others = othersThan(state, place)
    if (others.length < tokens_max) return { isOver: isRunOver, over: [] }
    const inside = others.filter((one) => COMPARTMENT_ID.test(one.place))
    const over = yield* Effect.filter(
      inside,
      (one) => Effect.map(presentRunOf(one.place, context), (present) => isOver(one, present)),
      { concurrency: "unbounded" }
    )
    return { isOver: isRunOver, over: over.map((one) => one.place) }
  })

const ending = (place: string, present?: PresentRun): VaultEvent => ({
  type: "vault.service_ended",
  v: 1,
  place,
  ...(present?.stopping === true ? { stopping: true } : {})
})

/**
 * Admits a fill service by its place and the hash of its token. The previous one at that place is not admitted any
 * more. If the place has a token of a later `order`, that one stays: commands of requests at the same time may arrive
 * here in any order. If there is no room, it takes the places of compartments whose run is over.
 */
export const decideAdmitService = (
  state: VaultState,
  { uid, place, hash, order, run }: Admission,
  { facts }: { readonly facts: AdmissionFacts },
  { tokens_max }: TokenLimits
): Decided => {
  if (state === null) return NO_VAULT
  if (state.status !== "active" || state.uid !== uid) return NOT_ACTIVE
  if (facts.isOver) return { refused: notFound("compartment") }
  const there = state.services.find((one) => one.place === place)
  if (there?.hash === hash) return { events: [] }
  // A late repeat of an earlier request must not end the token of a newer one.
  if (state.ended.includes(hash)) return TOKEN_INVALID
  if (order !== undefined && there?.order !== undefined && there.order > order) return OVERTAKEN
  const others = othersThan(state, place)
  const over = others.filter((one) => facts.over.includes(one.place))
  if (others.length - over.length >= tokens_max) return full("fill services", tokens_max)
  const more = { ...(order === undefined ? {} : { order }), ...(run === undefined ? {} : { run }) }
  return {
    events: [...over.map((one) => ending(one.place)), { type: "vault.service_admitted", v: 1, place, hash, ...more }]
  }
}

/** Returns `null` without asking if there is no fill service at the place. */
export const presentRunAt = (
  state: VaultState,
  place: string,
  context: PrepareContext
): Effect.Effect<PresentRun | null, Refusal, Actors> =>
  state?.services.some((one) => one.place === place) === true ? presentRunOf(place, context) : Effect.succeed(null)

/** Ends the token of a compartment if its run is over. */
export const decideCheckService = (
  state: VaultState,
  { place }: { readonly place: string },
  { facts: present }: { readonly facts: PresentRun | null }
): Decided => {
  const there = state?.services.find((one) => one.place === place)
  const ends = there !== undefined && present !== null && isOver(there, present)
  return { events: ends ? [ending(place, present)] : [] }
}
