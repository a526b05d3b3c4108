/**
 * The fleet. Its id is `own`. It has the hosts that run compartments, and the host of each compartment.
 *
 * Invariants
 *  - A compartment has one place from its first event on, in the same commit. Only the host of that place may run it.
 *  - A new compartment gets a place only on a host that has fewer than its `max`, and only if its owner is below the
 *    limit. Both are checked in the commit that assigns the place. A compartment of a forgotten host moves to a host
 *    with room, whatever its owner's number.
 *  - An agent's compartment belongs to the agent's present owner (spec 2.11). Changes of owners and deletions of people's
 *    accounts reach the fleet through one set of reactions, in the order of the log. A compartment that a person made
 *    stays the person's.
 *  - A compartment whose agent has deleted its account never runs again. It stays suspended with its `/data`, does not
 *    count for a limit, and ends as soon as its host needs the room.
 *  - The time of a host's last report is only in the memory of the fleet's activation. After a takeover all hosts count
 *    as having reported just then.
 */
import { Schema } from "effect"
import { HostReport } from "../../schemas/fleet/operations.ts"
import { event } from "../engine/events.ts"
import type { ActorOf } from "../kit/kind.ts"

const HostValue = Schema.Struct({ ...HostReport.fields, drained: Schema.Boolean })
export type HostValue = typeof HostValue.Type

const place = {
  compartment: Schema.String,
  host: Schema.String,
  agent: Schema.String,
  /**
   * The person whose share the compartment uses: its maker, or the present owner of the agent; `null` for the agent's
   * own share.
   */
  owner: Schema.NullOr(Schema.String),
  ofHuman: Schema.Boolean,
  name: Schema.String
}
const PlaceValue = Schema.Struct({
  ...place,
  /** True if the agent has deleted its account. */
  left: Schema.optionalKey(Schema.Boolean)
})
export type PlaceValue = typeof PlaceValue.Type

export const FleetState = Schema.Struct({ hosts: Schema.Array(HostValue), places: Schema.Array(PlaceValue) })
export type FleetState = typeof FleetState.Type

const Fate = Schema.Literals(["suspend", "lift", "end"])

export const FleetEvent = Schema.Union([
  event("fleet.host_changed", 1, { host: HostValue }),
  event("fleet.host_forgotten", 1, { host: Schema.String }),
  event("fleet.placed", 1, place),
  event("fleet.moved", 1, { compartment: Schema.String, host: Schema.String }),
  event("fleet.renamed", 1, { compartment: Schema.String, name: Schema.String }),
  event("fleet.released", 1, { compartment: Schema.String }),
  /** The agent of these compartments has another owner. */
  event("fleet.owned", 1, { compartments: Schema.Array(Schema.String), owner: Schema.NullOr(Schema.String) }),
  /**
   * Compartments were suspended, released from a suspension or ended, because of a change of their agent or of a
   * person.
   */
  event("fleet.fated", 1, {
    compartments: Schema.Array(Schema.String),
    fate: Fate,
    by: Schema.String,
    reason: Schema.String,
    /** True if the agent of these compartments has deleted its account. */
    left: Schema.optionalKey(Schema.Boolean)
  })
])
export type FleetEvent = typeof FleetEvent.Type

export const NO_FLEET: FleetState = { hosts: [], places: [] }

export const OF_DELETED = "its agent has deleted its account"

/** True if the agent has deleted its account. Events of earlier releases have no `left`, so their reason decides. */
const leaves = ({ left, fate, by, reason }: Extract<FleetEvent, { type: "fleet.fated" }>): boolean =>
  left === true || (fate === "suspend" && by === "agent" && reason === OF_DELETED)

export const evolveFleet = (state: FleetState, event: FleetEvent): FleetState => {
  const { hosts, places } = state
  switch (event.type) {
    case "fleet.host_changed": {
      const { host } = event
      const isKnown = hosts.some((one) => one.host === host.host)
      return { ...state, hosts: isKnown ? hosts.map((one) => (one.host === host.host ? host : one)) : [...hosts, host] }
    }
    case "fleet.host_forgotten":
      return { ...state, hosts: hosts.filter(({ host }) => host !== event.host) }
    case "fleet.placed": {
      const { type: _type, v: _v, ...value } = event
      return { ...state, places: [...places, value] }
    }
    case "fleet.moved":
      return { ...state, places: changed(places, event.compartment, { host: event.host }) }
    case "fleet.renamed":
      return { ...state, places: changed(places, event.compartment, { name: event.name }) }
    case "fleet.released":
      return { ...state, places: places.filter(({ compartment }) => compartment !== event.compartment) }
    case "fleet.owned":
      return { ...state, places: allChanged(places, event.compartments, { owner: event.owner }) }
    case "fleet.fated": {
      if (leaves(event)) return { ...state, places: allChanged(places, event.compartments, { left: true }) }
      // A repeated deletion then finds nothing, even if an operator has lifted the suspension.
      const isDisowned = event.fate === "suspend" && event.by === "owner"
      return isDisowned ? { ...state, places: allChanged(places, event.compartments, { owner: null }) } : state
    }
  }
}

const allChanged = (
  places: ReadonlyArray<PlaceValue>,
  compartments: ReadonlyArray<string>,
  change: Partial<PlaceValue>
): ReadonlyArray<PlaceValue> => {
  const those = new Set(compartments)
  return places.map((one) => (those.has(one.compartment) ? { ...one, ...change } : one))
}

const changed = (places: ReadonlyArray<PlaceValue>, compartment: string, change: Partial<PlaceValue>) =>
  allChanged(places, [compartment], change)

/**
 * `at`: the time of each host's last report. `since`: the time that counts for a host without one. Both are monotonic
 * ms.
 */
export interface HostContacts {
  readonly since: number
  readonly at: Map<string, number>
}

export const noContacts = (since: number): HostContacts => ({ since, at: new Map() })

export type FleetActor = ActorOf<FleetState, FleetEvent, HostContacts>
