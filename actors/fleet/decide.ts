/** Places compartments on hosts, and decides the fate of an agent's or a person's compartments. Pure. */
import type { Operations } from "../../schemas/bus/operations.ts"
import { RUNTIME_TERMS_OLDEST } from "../../schemas/compartment/records.ts"
import { invalidField, notFound, refusal } from "../../schemas/errors.ts"
import type { HostReport, NewCompartment } from "../../schemas/fleet/operations.ts"
import type { Limits } from "../../schemas/limits.ts"
import {
  FULL,
  limitReached,
  NAME_TAKEN,
  unavailableFor,
  unavailableUntilOperator,
  secretsProblem,
  type CompartmentEvent
} from "../compartment/noun.ts"
import type { Decision } from "../engine/definition.ts"
import { type FleetEvent, type FleetState, type HostValue, OF_DELETED, type PlaceValue } from "./state.ts"

export type Decided<Reply = null> = Decision<FleetEvent, Reply>

const NOTHING: Decided = { events: [] }

const isTaken = ({ left }: PlaceValue): boolean => left !== true

export const takenOf = ({ places }: FleetState, host: string): number =>
  places.filter((place) => place.host === host && isTaken(place)).length

/**
 * Ends the oldest compartments of deleted accounts, as far as the host needs their room. `more`: the number of new
 * ones.
 */
const makingRoom = ({ places }: FleetState, { host, max }: HostValue, more: number): ReadonlyArray<FleetEvent> => {
  const there = places.filter((place) => place.host === host)
  const excess = Math.max(0, there.length + more - max)
  const ending = there.filter((place) => !isTaken(place)).slice(0, excess)
  return fated(ending, { fate: "end", by: "agent", reason: OF_AGENT.deleted })
}

/** The host with the most room among those that can start something. If several have the same room, it is the first by name. */
const roomiest = (state: FleetState, image: string | null, isAway: (host: string) => boolean): HostValue | null => {
  let [best, most]: [HostValue | null, number] = [null, 0]
  for (const host of state.hosts.toSorted((one, other) => (one.host < other.host ? -1 : 1))) {
    if (host.drained || host.reason !== null || isAway(host.host)) continue
    if (image !== null && host.image !== image) continue
    const room = host.max - takenOf(state, host.host)
    if (room > most) [best, most] = [host, room]
  }
  return best
}

/** The `retryAfter` in seconds while hosts are starting. */
const STARTING_SECONDS = 15

/** The refusal if there is no place: all places are taken, or no host can start anything. */
const nowhere = ({ hosts }: FleetState, isAway: (host: string) => boolean) => {
  const able = hosts.some(({ host, reason, drained }) => reason === null && !drained && !isAway(host))
  if (able) return FULL
  // A host that does not report may be back in a moment.
  if (hosts.some(({ host, drained }) => isAway(host) && !drained)) return unavailableFor("no host answers")
  const starting = hosts.find(({ starting, drained }) => starting === true && !drained)
  if (starting !== undefined) return unavailableFor(starting.reason ?? "its hosts are starting", STARTING_SECONDS)
  const [first] = hosts.filter(({ host }) => !isAway(host))
  return unavailableUntilOperator(
    first?.reason ?? (hosts.length === 0 ? "no host runs compartments here" : "its hosts take nothing new")
  )
}

/** The owner whose share a compartment uses: the person, or the agent if it has no owner. */
const ownerKey = ({ agent, owner }: Pick<PlaceValue, "agent" | "owner">): string => owner ?? agent

interface Placing {
  readonly owner: string | null
  readonly isAway: (host: string) => boolean
}

export const decideCreate = (
  state: FleetState,
  wanted: NewCompartment,
  { owner, isAway }: Placing,
  limits: Limits
): Decided<{ readonly host: string }> => {
  const { id, agent, name, human } = wanted
  const problem = secretsProblem(wanted.secrets, limits.runtime)
  if (problem !== null) return { refused: problem }
  const images = new Set(state.hosts.map((host) => host.image))
  if (wanted.image !== null && !images.has(wanted.image))
    return { refused: invalidField("image", "image must be one of the offer's.", { images: [...images] }) }
  if (state.places.some((place) => place.agent === agent && place.name === name)) return NAME_TAKEN
  const { per_owner } = limits.runtime
  const taken = state.places.filter(isTaken)
  const same = taken.filter((place) => ownerKey(place) === (owner ?? agent))
  if (same.length >= per_owner) return limitReached(per_owner)
  const host = roomiest(state, wanted.image, isAway)
  if (host === null || taken.length >= limits.service.runtime.places_max) return nowhere(state, isAway)
  const { command, secrets, hub_key, terms = RUNTIME_TERMS_OLDEST } = wanted
  const place = { compartment: id, host: host.host, agent, owner, ofHuman: human !== null, name }
  const image = wanted.image ?? host.image
  const born: CompartmentEvent = {
    type: "compartment.created",
    v: 1,
    agent,
    human,
    owner,
    name,
    command,
    image,
    host: host.host,
    secrets,
    hub_key,
    terms
  }
  return {
    events: [...makingRoom(state, host, 1), { type: "fleet.placed", v: 1, ...place }],
    companions: [{ kind: "compartment", id, expected: 0, events: [born] }],
    reply: { host: host.host }
  }
}

export const decideRename = (
  state: FleetState,
  { compartment, name }: { readonly compartment: string; readonly name: string }
): Decided => {
  const place = state.places.find((one) => one.compartment === compartment)
  if (place === undefined) return { refused: notFound("compartment") }
  if (place.name === name) return NOTHING
  const isUsed = state.places.some((one) => one.agent === place.agent && one.name === name)
  return isUsed ? NAME_TAKEN : { events: [{ type: "fleet.renamed", v: 1, compartment, name }] }
}

export const decideRelease = (state: FleetState, { compartment }: { readonly compartment: string }): Decided =>
  state.places.some((one) => one.compartment === compartment)
    ? { events: [{ type: "fleet.released", v: 1, compartment }] }
    : NOTHING

/** Places of compartments that the agent itself made. The agent's owner owns them. */
export const ownPlaces = ({ places }: FleetState, agent: string): ReadonlyArray<PlaceValue> =>
  places.filter((place) => place.agent === agent && !place.ofHuman)

/** `facts`: the agent's owner. The person's number of compartments may exceed the limit then, and no other is made. */
export const decideOwn = (
  state: FleetState,
  { agent }: Operations["fleet.own"]["input"],
  { facts: owner }: { readonly facts: string | null }
): Decided => {
  const others = ownPlaces(state, agent).filter((place) => place.owner !== owner)
  const compartments = others.map(({ compartment }) => compartment)
  return compartments.length === 0 ? NOTHING : { events: [{ type: "fleet.owned", v: 1, compartments, owner }] }
}

const isSame = (one: HostValue, other: HostValue): boolean =>
  (Object.keys(other) as ReadonlyArray<keyof HostValue>).every((key) => one[key] === other[key])

export const decideReport = (state: FleetState, told: HostReport, hostsMax: number): Decided => {
  const known = state.hosts.find(({ host }) => host === told.host)
  if (known === undefined && state.hosts.length >= hostsMax)
    return { refused: refusal("runtime_full", `There are at most ${hostsMax} hosts: forget one that is gone.`) }
  const host: HostValue = { ...told, drained: known?.drained ?? false }
  return known !== undefined && isSame(known, host) ? NOTHING : { events: [{ type: "fleet.host_changed", v: 1, host }] }
}

export const decideDrain = (
  state: FleetState,
  { host, drained }: { readonly host: string; readonly drained: boolean }
): Decided => {
  const known = state.hosts.find((one) => one.host === host)
  if (known === undefined) return { refused: notFound("host") }
  if (known.drained === drained) return NOTHING
  return { events: [{ type: "fleet.host_changed", v: 1, host: { ...known, drained } }] }
}

/**
 * Removes a host. Its compartments get places on other hosts; the command is refused if there are too few. A
 * compartment of a deleted account has lost its `/data` with the host, and ends if there is any host to report that.
 */
export const decideForget = (
  state: FleetState,
  { host }: { readonly host: string },
  isAway: (host: string) => boolean
): Decided => {
  if (!state.hosts.some((one) => one.host === host)) return { refused: notFound("host") }
  const events: Array<FleetEvent> = [{ type: "fleet.host_forgotten", v: 1, host }]
  let after: FleetState = { ...state, hosts: state.hosts.filter((one) => one.host !== host) }
  const there = state.places.filter((place) => place.host === host)
  for (const place of there) {
    const { compartment } = place
    const next = roomiest(after, null, isAway) ?? (isTaken(place) ? undefined : after.hosts[0])
    if (next === undefined) return nowhere(after, isAway)
    events.push({ type: "fleet.moved", v: 1, compartment, host: next.host })
    const places = after.places.map((one) => (one.compartment === compartment ? { ...one, host: next.host } : one))
    after = { ...after, places }
  }
  const left = there.filter((place) => !isTaken(place))
  const ended = new Set(left.map(({ compartment }) => compartment))
  after = { ...after, places: after.places.filter(({ compartment }) => !ended.has(compartment)) }
  const made = after.hosts.flatMap((one) => makingRoom(after, one, 0))
  return { events: [...events, ...fated(left, { fate: "end", by: "agent", reason: OF_AGENT.deleted }), ...made] }
}

type Fate =
  | { readonly agent: string; readonly fate: string; readonly reason: string | null }
  | { readonly human: string }

const fated = (
  places: ReadonlyArray<PlaceValue>,
  what: Omit<FleetEvent & { readonly type: "fleet.fated" }, "type" | "v" | "compartments">
): ReadonlyArray<FleetEvent> =>
  places.length === 0
    ? []
    : [{ type: "fleet.fated", v: 1, compartments: places.map(({ compartment }) => compartment), ...what }]

const OF_AGENT = {
  suspended: "its agent was suspended",
  banned: "its agent was banned",
  deleted: OF_DELETED
} as const

export const decideFate = ({ places }: FleetState, told: Fate): Decided => {
  if ("human" in told) {
    const own = places.filter(({ owner }) => owner === told.human)
    const made = own.filter(({ ofHuman }) => ofHuman)
    const others = own.filter(({ ofHuman }) => !ofHuman)
    const reason = "its owner has deleted the account"
    return {
      events: [
        ...fated(made, { fate: "end", by: "owner", reason }),
        ...fated(others, { fate: "suspend", by: "owner", reason })
      ]
    }
  }
  const own = places.filter(({ agent }) => agent === told.agent)
  if (told.fate === "reinstated") return { events: fated(own, { fate: "lift", by: "agent", reason: "" }) }
  const why = OF_AGENT[told.fate as keyof typeof OF_AGENT]
  const left = told.fate === "deleted" ? { left: true } : {}
  return { events: fated(own, { fate: "suspend", by: "agent", reason: told.reason ?? why, ...left }) }
}
