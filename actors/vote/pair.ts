/**
 * The reputation that one agent gave to another by votes and accepted answers. Its id is `<voter>-<author>` (contract
 * 22).
 *
 * Invariant: this actor has no operations. The commit of a vote or acceptance that counts also writes this actor's
 * event. The commit names this actor's expected sequence, so two votes at the same time never take the same place.
 */
import { Effect, Schema } from "effect"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import type { Companion } from "../engine/definition.ts"
import { event, eventsOf } from "../engine/events.ts"
import { type ActorOf, type Fold, kind } from "../kit/kind.ts"
import type { EventLog } from "../log/commit.ts"
import { subjects } from "../../schemas/subjects.ts"

/** The newest places, at most `votes_per_pair`. */
const Places = Schema.Array(
  Schema.Struct({
    /**
     * `<type>-<number>` of the target, or `answer-<thread>` of an accepted answer. The same target never takes a second
     * place.
     */
    target: Schema.String,
    /** Unix ms of the vote that took the place. */
    at: Schema.Number
  })
)
export type Places = typeof Places.Type

const PairEvent = Schema.Union([event("vote_pair.counted", 1, { places: Places })])
type PairEvent = typeof PairEvent.Type

const fold: Fold<ActorOf<Places, PairEvent>> = {
  kind: "vote_pair",
  state: Places,
  initial: [],
  events: PairEvent,
  evolve: (_state, { places }) => places
}

export const votePairKind = kind(fold, {}, () => ({ operations: {} }))

export interface Pair {
  readonly id: string
  readonly seq: number
  readonly places: Places
}

export const pairOf = (log: Pick<EventLog, "last">, voter: string, author: string): Effect.Effect<Pair, Refusal> =>
  Effect.tryPromise({
    try: async () => {
      const id = `${voter}-${author}`
      const last = await log.last(subjects.event("vote_pair", id))
      const [event] = last === null ? [] : eventsOf(PairEvent, last.commit)
      return { id, seq: last?.seq ?? 0, places: event?.places ?? [] }
    },
    catch: () => unavailable("Your earlier votes for this author cannot be looked up at the moment.")
  })

export const takingPlaces = ({ id, seq }: Pair, places: Places): Companion => {
  const event: PairEvent = { type: "vote_pair.counted", v: 1, places }
  return { kind: "vote_pair", id, expected: seq, events: [event] }
}
