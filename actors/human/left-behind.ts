/**
 * The data about agents that remain of a deleted account: those that were made for its person, and those that refused
 * the person.
 *
 * Invariants
 *  - It is sealed, so an address's hash or state does not show which agents its person had. The log of the closed
 *    account still names its own declarations.
 *  - Opening it requires the address itself. The next account of the address has it under its own key, which is erased
 *    with that account.
 */
import { Effect, Schema } from "effect"
import type { Refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { PrepareContext } from "../engine/definition.ts"
import type { Sealer } from "../log/seal.ts"
import { Actors, anew } from "../engine/services.ts"
import type { Human } from "./state.ts"

const ABREAST = 8
/** Larger than the number of refusals that can be in force at the same time. */
const REFUSED_MAX = 200

const Left = Schema.Struct({
  /** Hub ids of the agents that were made for the person. */
  made: Schema.Array(Schema.String),
  /**
   * Agents that refused the person, with the end of the refusal (Unix ms). `unproven`: the address was not verified, so
   * anybody may have asked.
   */
  refused: Schema.Array(
    Schema.Struct({ agent: Schema.String, until: Schema.Number, unproven: Schema.optionalKey(Schema.Literal(true)) })
  )
})
export type LeftBehind = typeof Left.Type

const LeftText = Schema.fromJsonString(Left)
const encode = Schema.encodeSync(LeftText)
const decode = Schema.decodeSync(LeftText)

export const NOTHING_LEFT: LeftBehind = { made: [], refused: [] }

/** `of`: the account or the address that it is bound to. Empty data are not sealed. */
export const sealLeft = (sealer: Sealer, of: string, left: LeftBehind): string | undefined =>
  left.made.length === 0 && left.refused.length === 0 ? undefined : sealer.seal(encode(left), purposeOf(of))

export const openLeft = (sealer: Sealer, of: string, sealed: string | undefined): LeftBehind =>
  sealed === undefined ? NOTHING_LEFT : decode(sealer.open(sealed, purposeOf(of)))

const purposeOf = (of: string): string => `left behind ${of}`

export const joined = (one: LeftBehind, other: LeftBehind): LeftBehind => ({
  made: [...new Set([...one.made, ...other.made])],
  refused: [...one.refused, ...other.refused].toSorted((a, b) => a.until - b.until).slice(-REFUSED_MAX)
})

/**
 * Unix ms until which the agent's refusal of an earlier account applies; 0 if there was none. `proven`: the asking
 * person has verified the address. Refusals of people who only named the address do not count for that person.
 */
export const refusedUntil = ({ refused }: LeftBehind, agent: string, proven: boolean): number =>
  Math.max(
    0,
    ...refused.filter((one) => one.agent === agent && !(proven && one.unproven === true)).map(({ until }) => until)
  )

/** A declaration that its agent has not answered. `seq`: the sequence of the sponsorship when it was asked. */
export interface Unanswered {
  readonly id: number
  readonly agent: string
  readonly seq: number
}

interface Answers {
  readonly refused: LeftBehind["refused"]
  readonly unanswered: ReadonlyArray<Unanswered>
}

/** The account does not know how its sponsorships ended, so each is asked. */
export const answersTo = (
  { sponsorships }: Human,
  context: PrepareContext,
  { refused_wait_seconds }: Limits["limits"]["owner"]
): Effect.Effect<Answers, Refusal, Actors> =>
  Effect.gen(function* () {
    const actors = yield* Actors
    const one = ({ id, agent }: Human["sponsorships"][number]) =>
      Effect.map(
        actors.ask(anew(context), "sponsorship.stands", String(id), null),
        ({ status, ended_at, seq, verified = true }): Answers => {
          const until = Date.parse(ended_at ?? "") + refused_wait_seconds * 1000
          return {
            refused:
              status === "refused" && until > context.at
                ? [{ agent, until, ...(verified ? {} : { unproven: true as const }) }]
                : [],
            unanswered: status === "pending" ? [{ id, agent, seq }] : []
          }
        }
      )
    const all = yield* Effect.forEach(sponsorships, one, { concurrency: ABREAST })
    return {
      refused: all.flatMap(({ refused }) => refused),
      unanswered: all.flatMap(({ unanswered }) => unanswered)
    }
  })
