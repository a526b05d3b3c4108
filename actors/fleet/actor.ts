/** The actor of the fleet. Its operations are declared in schemas/fleet/operations.ts. */
import { type Clock, Effect } from "effect"
import type { HostSeen } from "../../schemas/fleet/operations.ts"
import { operations } from "../../schemas/fleet/operations.ts"
import { monotonicMs } from "../../schemas/runtime/clock.ts"
import { subjects } from "../../schemas/subjects.ts"
import { UNOWNED } from "../compartment/noun.ts"
import { custom, type DecideContext, read, write } from "../engine/definition.ts"
import { accountRuns } from "../kit/account.ts"
import { type Fold, kind } from "../kit/kind.ts"
import { Actors, anew } from "../engine/services.ts"
import {
  decideCreate,
  decideDrain,
  decideFate,
  decideForget,
  decideOwn,
  decideRelease,
  decideRename,
  decideReport,
  ownPlaces,
  takenOf
} from "./decide.ts"
import { decideForHuman, foundFor } from "./for-human.ts"
import {
  evolveFleet,
  type FleetActor,
  FleetEvent,
  FleetState,
  type HostContacts,
  noContacts,
  NO_FLEET
} from "./state.ts"

const fold: Fold<FleetActor> = {
  kind: "fleet",
  state: FleetState,
  initial: NO_FLEET,
  events: FleetEvent,
  evolve: evolveFleet
}

const isAwayBy =
  (clock: Clock.Clock, { since, at }: HostContacts, awayMs: number) =>
  (host: string): boolean =>
    monotonicMs(clock) - (at.get(host) ?? since) > awayMs

export const fleetKind = kind(fold, operations, ({ clock, nats, seed, config: { limits } }) => {
  const { away_ms, hosts_max } = limits.service.runtime
  const awayIn = (heard: HostContacts) => isAwayBy(clock, heard, away_ms)
  /** Tells the host to check the compartment now. Without that, it would do so at its next beat. */
  const tell = (id: string, state: FleetState): Effect.Effect<void> =>
    Effect.sync(() => {
      const place = state.places.find(({ compartment }) => compartment === id)
      if (place !== undefined) nats.publish(subjects.compartmentChanged(place.host, id))
    })

  return {
    memory: () => noContacts(monotonicMs(clock)),
    operations: {
      "fleet.places": read((state, { agents, human, page, per_page }) => {
        const newest = state.places
          .filter(
            (place) => (agents === null || agents.includes(place.agent)) && (human === null || place.owner === human)
          )
          .toReversed()
        const items = newest
          .slice((page - 1) * per_page, page * per_page)
          .map(({ ofHuman: of_human, left: _left, ...place }) => ({ ...place, of_human }))
        return { data: { items, total: newest.length } }
      }),
      "fleet.hosts": custom((state, _input, { memory }) =>
        Effect.sync(() => {
          const isAway = awayIn(memory)
          return state.hosts.map((host): HostSeen => ({
            ...host,
            away: isAway(host.host),
            taken: takenOf(state, host.host)
          }))
        })
      ),
      "fleet.create": write({
        prepare: (_state, { agent, human }, context) =>
          Effect.gen(function* () {
            const isAway = awayIn(context.memory)
            const actors = yield* Actors
            yield* accountRuns(context, agent)
            if (human !== null) return { owner: human, isAway }
            const { by = null, provisional = false } = yield* actors.ask(context, "owner.proven", agent, null)
            if (by === null && provisional) return yield* Effect.fail(UNOWNED)
            return { owner: by, isAway }
          }),
        decide: (state, wanted, { facts }) => decideCreate(state, wanted, facts, limits),
        answer: (_state, reply) => reply,
        after: ({ id }, _context, { state }) => tell(id, state),
        projected: true
      }),
      "fleet.create_for_human": write({
        prepare: (state, wanted, context) => foundFor({ seed, limits }, state, wanted, awayIn(context.memory), context),
        decide: (state, wanted, context) => decideForHuman(state, wanted, context, limits),
        answer: (_state, reply) => reply,
        after: ({ id }, _context, { state }) => tell(id, state),
        projected: true
      }),
      "fleet.rename": write({ decide: decideRename, answer: () => null }),
      "fleet.release": write({ decide: decideRelease, answer: () => null }),
      "fleet.report": write({
        prepare: (_state, { host }, { memory }) => Effect.sync(() => void memory.at.set(host, monotonicMs(clock))),
        decide: (state, told) => decideReport(state, told, hosts_max),
        answer: () => null
      }),
      "fleet.mine": custom((state, { host }) =>
        Effect.sync(() => ({
          compartments: state.places.filter((place) => place.host === host).map(({ compartment }) => compartment)
        }))
      ),
      "fleet.drain": write({ decide: decideDrain, answer: () => null }),
      "fleet.forget": write({
        prepare: (_state, _input, { memory }) => Effect.sync(() => awayIn(memory)),
        decide: (state, input, { facts }: DecideContext<(host: string) => boolean>) =>
          decideForget(state, input, facts),
        answer: () => null
      }),
      "fleet.own": write({
        prepare: (state, { agent, owner }, context) =>
          Effect.gen(function* () {
            if (owner !== undefined || ownPlaces(state, agent).length === 0) return owner ?? null
            const actors = yield* Actors
            return (yield* actors.ask(anew(context), "owner.proven", agent, null)).by ?? null
          }),
        decide: decideOwn,
        answer: () => null
      }),
      "fleet.fate": write({ decide: decideFate, answer: () => null })
    }
  }
})
