/** Two kinds for reactions: pebbles that are thrown, and ponds on which each makes a ripple. */
import { Schema } from "effect"
import { write } from "../../../actors/engine/definition.ts"
import { event } from "../../../actors/engine/events.ts"
import { type ActorOf, kind, type Kind } from "../../../actors/kit/kind.ts"
import { on, reactions, type Reactions, type ReactionCommand } from "../../../actors/reactions/reaction.ts"
import { Nothing, op } from "../../../schemas/operation.ts"
import { notFound, unavailable } from "../../../schemas/errors.ts"

const Thrown = event("pebble.thrown", 1, { into: Schema.String, number: Schema.Int })
const Skipped = event("pebble.skipped", 1)
const OLDER = Schema.Union([Thrown])
const NEWER = Schema.Union([Thrown, Skipped])

const pebbleOperations = {
  "pebble.throw": op({ input: Schema.Struct({ into: Schema.String }), output: Schema.Int, askedBy: [] }),
  "pebble.skip": op({ input: Nothing, output: Nothing, askedBy: [] })
}

/** Its state: how often it was thrown. */
export const pebble: Kind = kind<ActorOf<number, typeof NEWER.Type>, typeof pebbleOperations>(
  {
    kind: "pebble",
    state: Schema.Int,
    initial: 0,
    events: NEWER,
    evolve: (state, made) => (made.type === "pebble.thrown" ? made.number : state)
  },
  pebbleOperations,
  () => ({
    operations: {
      "pebble.throw": write({
        decide: (state, { into }) => ({ events: [{ type: "pebble.thrown", v: 1, into, number: state + 1 }] }),
        answer: (state) => state
      }),
      "pebble.skip": write({
        decide: () => ({ events: [{ type: "pebble.skipped", v: 1 }] }),
        answer: () => null
      })
    }
  })
)

const Ripples = Schema.Array(Schema.Tuple([Schema.String, Schema.Int]))
const PondEvent = Schema.Union([event("pond.rippled", 1, { pebble: Schema.String, number: Schema.Int })])
const pondOperations = {
  "pond.ripple": op({
    input: Schema.Struct({ pebble: Schema.String, number: Schema.Int }),
    output: Nothing,
    askedBy: []
  }),
  "pond.look": op({ input: Nothing, output: Ripples, askedBy: [] })
}

/** Ponds that cannot be had at the moment. */
export const frozen = new Set<string>()
/** Ponds that fail. */
const broken = new Set(["broken"])

/** Its state: the ripples that it has seen, as pebble and throw. `dry` refuses all. */
export const pond: Kind = kind<ActorOf<typeof Ripples.Type, typeof PondEvent.Type>, typeof pondOperations>(
  {
    kind: "pond",
    state: Ripples,
    initial: [],
    events: PondEvent,
    evolve: (state, rippled) => [...state, [rippled.pebble, rippled.number]]
  },
  pondOperations,
  () => ({
    operations: {
      "pond.ripple": write({
        decide: (_state, input, { id }) => {
          if (id === "dry") return { refused: notFound("water") }
          if (frozen.has(id)) return { refused: unavailable("It is frozen.") }
          if (broken.has(id)) throw new Error("this pond is broken")
          return { events: [{ type: "pond.rippled", v: 1, ...input }] }
        },
        answer: () => null
      }),
      "pond.look": { type: "read", read: (state) => ({ data: state }) }
    }
  })
)

const ripple = (into: string, pebbleId: string, number: number): ReactionCommand => ({
  op: "pond.ripple",
  kind: "pond",
  actor: into,
  input: { pebble: pebbleId, number }
})

/** Of a release that knows no skipping, where not `newer`. */
export const ripples = (newer = true): Reactions =>
  newer
    ? reactions(
        "pond",
        on("pebble", NEWER, (thrown, { id }) =>
          thrown.type === "pebble.thrown" ? [ripple(thrown.into, id, thrown.number)] : []
        )
      )
    : reactions(
        "pond",
        on("pebble", OLDER, (thrown, { id }) => [ripple(thrown.into, id, thrown.number)])
      )

/** Each throw is to make a ripple on this many broken ponds, and behind them on its own. */
export const ripplesBehind = (broken: number): Reactions =>
  reactions(
    "pond",
    on("pebble", NEWER, (thrown, { id }) =>
      thrown.type === "pebble.thrown"
        ? [...Array<string>(broken).fill("broken"), thrown.into].map((into) => ripple(into, id, thrown.number))
        : []
    )
  )
