/** Decisions on requests of agents, people and operators for a compartment. Pure. */
import type { Asker, NamedBox } from "../../schemas/compartment/operations.ts"
import { aboveMax } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { ReporterWeight } from "../../schemas/moderation/operations.ts"
import type { Decision } from "../engine/definition.ts"
import { secretsAfter, suspensionsAfter } from "./evolve.ts"
import { BUSY, NO_COMPARTMENT, SUSPENDED, SUSPENDED_WITH_AGENT, UNCONFIRMED } from "./refusals.ts"
import { type CompartmentEvent, type CompartmentState, type CompartmentValue, isSuspended, isThere } from "./state.ts"

export type Decided<Reply = null> = Decision<CompartmentEvent, Reply>

export const NOTHING: Decided = { events: [] }

/** False for an agent that does not own the compartment. People were checked before (asked.ts). */
export const belongsTo = (state: CompartmentValue, by: Asker): boolean =>
  by.type !== "agent" || by.agent === state.agent

/** True if the caller may start and change the compartment. People may do so only with compartments that they made. */
const maySteer = (state: CompartmentValue, by: Asker): boolean =>
  belongsTo(state, by) && (by.type !== "human" || by.human === state.human)

export const startingOf = ({ next_run: run }: CompartmentValue, restart_count = 0): CompartmentEvent => ({
  type: "compartment.starting",
  v: 1,
  run,
  restart_count
})

export const decideStart = (state: CompartmentState, { by }: { readonly by: Asker }): Decided => {
  if (!isThere(state) || !maySteer(state, by)) return NO_COMPARTMENT
  if (isSuspended(state)) return SUSPENDED
  switch (state.status) {
    case "starting":
    case "running":
      return NOTHING
    case "creating":
    case "stopping":
    case "deleting":
      return BUSY
    default:
      return { events: [startingOf(state)] }
  }
}

const stopping = (
  { agent }: CompartmentValue,
  next: CompartmentValue["next"],
  desired: CompartmentValue["desired"]
): CompartmentEvent => ({ type: "compartment.stopping", v: 1, next, desired, agent })
const STOPPED: CompartmentEvent = { type: "compartment.stopped", v: 1, desired: "stopped" }

export const decideStop = (state: CompartmentState, { by }: { readonly by: Asker }): Decided => {
  if (!isThere(state) || !belongsTo(state, by)) return NO_COMPARTMENT
  switch (state.status) {
    case "stopped":
    case "suspended":
      return NOTHING
    case "stopping":
      return state.next === "starting" ? { events: [stopping(state, "stopped", "stopped")] } : NOTHING
    case "creating":
    case "deleting":
      return BUSY
    case "backoff":
    case "failed":
      return { events: [STOPPED] }
    default:
      return { events: [stopping(state, "stopped", "stopped")] }
  }
}

export const decideRestart = (state: CompartmentState, { by }: { readonly by: Asker }): Decided => {
  if (!isThere(state) || !maySteer(state, by)) return NO_COMPARTMENT
  if (isSuspended(state)) return SUSPENDED
  switch (state.status) {
    case "creating":
    case "deleting":
      return BUSY
    case "stopping":
      return state.next === "starting" ? NOTHING : BUSY
    case "starting":
    case "running":
      return { events: [stopping(state, "starting", "running")] }
    default:
      return { events: [startingOf(state)] }
  }
}

export interface Change {
  readonly by: Asker
  readonly name: string | null
  readonly command: string | null
  readonly set: ReadonlyArray<NamedBox>
  readonly removed: ReadonlyArray<string>
  readonly hub_key?: string | null
}

/** The problem with the size of secrets; `null` if they fit. */
export const secretsProblem = (
  secrets: ReadonlyArray<NamedBox>,
  bounds: Pick<Limits["runtime"], "secrets_max" | "secrets_max_bytes" | "secrets_sealed_max_bytes">
) => {
  const { secrets_max, secrets_max_bytes, secrets_sealed_max_bytes } = bounds
  if (secrets.length > secrets_max) return aboveMax("secrets", `There are at most ${secrets_max} secrets.`, secrets_max)
  const bytes = secrets.reduce((sum, secret) => sum + secret.bytes, 0)
  // The sealed size has a limit of its own, because a control character takes six bytes in JSON.
  const sealed = secrets.reduce((sum, secret) => sum + secret.box.length, 0)
  return bytes > secrets_max_bytes || sealed > secrets_sealed_max_bytes
    ? aboveMax("secrets", `All secrets together have at most ${secrets_max_bytes} bytes.`, secrets_max_bytes)
    : null
}

export const decideChange = (state: CompartmentState, change: Change, limits: Limits["runtime"]): Decided => {
  if (!isThere(state) || !maySteer(state, change.by)) return NO_COMPARTMENT
  if (state.status === "deleting") return BUSY
  const { set, removed } = change
  const problem = secretsProblem(secretsAfter(state.secrets, change), limits)
  if (problem !== null) return { refused: problem }
  const hub_key = change.hub_key === undefined ? state.hub_key : change.hub_key
  const { name, command } = state
  const event = { name: change.name ?? name, command: change.command ?? command, set, removed, hub_key }
  return { events: [{ type: "compartment.changed", v: 1, ...event }] }
}

const deleting = ({ agent }: CompartmentValue): CompartmentEvent => ({ type: "compartment.deleting", v: 1, agent })

export const decideDelete = (
  state: CompartmentState,
  { by, confirm }: { readonly by: Asker; readonly confirm: string | null }
): Decided => {
  if (!isThere(state) || !maySteer(state, by)) return NO_COMPARTMENT
  if (confirm !== state.name) return UNCONFIRMED
  return state.status === "deleting" ? NOTHING : { events: [deleting(state)] }
}

/** Deletes the compartment without a confirmation, because an account was deleted. */
export const decideEnd = (state: CompartmentState): Decided =>
  !isThere(state) || state.status === "deleting" ? NOTHING : { events: [deleting(state)] }

/** Suspends the compartment. A running one is stopped; a suspended one gets one more reason. */
export const decideSuspend = (
  state: CompartmentState,
  { by, reason, report }: { readonly by: string; readonly reason: string; readonly report?: number | undefined }
): Decided => {
  if (!isThere(state) || state.status === "deleting") return NOTHING
  if (state.suspensions.some((one) => one.by === by && one.report === report)) return NOTHING
  const { agent, name, desired } = state
  const of = report === undefined ? {} : { report }
  const suspended: CompartmentEvent = { type: "compartment.suspended", v: 1, by, ...of, reason, agent, name }
  if (isSuspended(state)) return { events: [suspended] }
  const isIdle = state.status === "stopped" || state.status === "backoff" || state.status === "failed"
  return { events: [suspended, isIdle ? { ...STOPPED, desired } : stopping(state, "suspended", desired)] }
}

/** The most suspensions by reports. A further report has no effect. Half of the places are reserved for operators. */
const REPORTS_MAX: Readonly<Record<Exclude<ReporterWeight, "none">, number>> = { established: 32, operator: 64 }

/**
 * A report by an operator suspends (spec 3.7; contract 22). So does one by an established agent, unless an operator has
 * lifted a suspension since the program last changed.
 */
export const decideReported = (
  state: CompartmentState,
  { reason, report }: { readonly reason: string; readonly report?: number | undefined },
  weight: ReporterWeight
): Decided => {
  if (!isThere(state) || weight === "none" || (weight === "established" && state.cleared)) return NOTHING
  if (state.suspensions.filter(({ by }) => by === "report").length >= REPORTS_MAX[weight]) return NOTHING
  return decideSuspend(state, { by: "report", reason, report })
}

/**
 * Lifts suspensions. An operator lifts all except the one that the agent's own suspension caused, which ends with the
 * agent's suspension. Anyone else lifts only their own suspension, and a report only the one that it has caused.
 */
export const decideLift = (
  state: CompartmentState,
  { by, report }: { readonly by: string; readonly report?: number | undefined }
): Decided => {
  if (!isThere(state) || !isSuspended(state)) return NOTHING
  const left = suspensionsAfter(state.suspensions, by, report)
  if (left.length === state.suspensions.length) return by === "operator" ? SUSPENDED_WITH_AGENT : NOTHING
  return { events: [{ type: "compartment.lifted", v: 1, by, ...(report === undefined ? {} : { report }) }] }
}

/** Moves the compartment to another host, because its host is gone for good. */
export const decideMove = (state: CompartmentState, { host }: { readonly host: string }): Decided => {
  if (!isThere(state) || state.host === host) return NOTHING
  const { agent, host: from, next_run: run } = state
  const moved: CompartmentEvent = { type: "compartment.moved", v: 1, from, host, run, agent }
  if (state.status === "deleting") return { events: [moved, deleting(state)] }
  const runs = state.desired === "running" && !isSuspended(state)
  return { events: runs ? [moved] : [moved, { ...STOPPED, desired: state.desired }] }
}
