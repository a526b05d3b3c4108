/** Decisions on a host's reports, and on restarts of programs (spec 3.7). Pure. */
import type { Reported } from "../../schemas/compartment/operations.ts"
import { unavailable } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { FiredTimer } from "../../schemas/timer.ts"
import { firing } from "../engine/definition.ts"
import { type Decided, NOTHING, startingOf } from "./decide.ts"
import { NO_COMPARTMENT } from "./refusals.ts"
import { type CompartmentEvent, type CompartmentState, type CompartmentValue, isSuspended, isThere } from "./state.ts"

export const RESTART_TIMER = "restart"

type RestartLimits = Pick<Limits["runtime"], "restart_seconds" | "restart_max_seconds" | "restart_reset_seconds">

/** Seconds to wait before the next start, after `count` ends without a long run in between. */
export const restartSeconds = (count: number, { restart_seconds, restart_max_seconds }: RestartLimits): number =>
  Math.min(restart_max_seconds, restart_seconds * 2 ** Math.min(30, count - 1))

type Exit = CompartmentEvent & { readonly type: "compartment.exited" }

const exitOf = ({ agent, name }: CompartmentValue, told: Reported & { readonly type: "exited" | "failed" }): Exit => {
  const { run, at } = told
  const whose = { type: "compartment.exited", v: 1, run, at, agent, name } as const
  if (told.type === "failed") return { ...whose, exit_code: null, oom_killed: false, why: "failed", error: told.error }
  const { exit_code, oom_killed, why } = told
  return { ...whose, exit_code, oom_killed, why, error: null }
}

/**
 * Decides after a program ended without an order. The next start follows after a growing delay. It follows immediately
 * if the run was lost (`why`) after at least `restart_seconds`.
 */
const again = (state: CompartmentValue, exit: Exit, at: number, limits: RestartLimits): Decided => {
  const ranMs = state.started_at === null || state.status !== "running" ? 0 : Math.max(0, exit.at - state.started_at)
  const isLong = ranMs >= limits.restart_reset_seconds * 1000
  if (exit.why === "lost" && (isLong || ranMs >= limits.restart_seconds * 1000))
    return { events: [exit, startingOf(state, state.restart_count)] }
  const restart_count = isLong ? 1 : state.restart_count + 1
  const { agent, name, exit_code, oom_killed } = exit
  // The delay counts from the exit. The exit's time comes from the host's clock, so it is limited to the last
  // `restart_seconds` before our own time.
  const from = Math.min(at, Math.max(exit.at, at - limits.restart_seconds * 1000))
  const restart_at = from + restartSeconds(restart_count, limits) * 1000
  return {
    events: [
      exit,
      { type: "compartment.backing_off", v: 1, restart_at, restart_count, exit_code, oom_killed, agent, name }
    ],
    timers: [{ name: RESTART_TIMER, at: restart_at }]
  }
}

const isUp = ({ status }: CompartmentValue): boolean =>
  status === "creating" || status === "starting" || status === "running"

const ended = (
  state: CompartmentValue,
  told: Reported & { readonly type: "exited" | "failed" },
  at: number,
  limits: RestartLimits
): Decided => {
  const exit = exitOf(state, told)
  const isStopping = state.status === "stopping"
  if (!isUp(state) && !isStopping) return NOTHING
  if (isSuspended(state)) return { events: [exit, { type: "compartment.stopped", v: 1, desired: state.desired }] }
  if (isStopping && state.next === "starting") return { events: [exit, startingOf(state)] }
  if (isStopping || exit.why === "disk" || state.desired === "stopped")
    return { events: [exit, { type: "compartment.stopped", v: 1, desired: "stopped" }] }
  const { agent, name } = state
  if (told.type === "failed" && told.lasting === true)
    return { events: [exit, { type: "compartment.failed", v: 1, agent, name }] }
  return again(state, exit, at, limits)
}

/**
 * Decides after the log was restored from a backup, if the host has begun a run since the backup. The host ends that
 * run when it has to start a later one.
 */
const overtaken = (state: CompartmentValue, { run, at }: Reported & { readonly type: "ahead" }): Decided => {
  if (!isUp(state) || run <= state.run) return NOTHING
  const { agent, name, next_run } = state
  const how = { exit_code: null, oom_killed: false, why: "restored", error: null } as const
  const exit: Exit = { type: "compartment.exited", v: 1, run: state.run, at, agent, name, ...how }
  const next = startingOf({ ...state, next_run: Math.max(next_run, run + 1) }, state.restart_count)
  return { events: [exit, next] }
}

export const decideReport = (
  state: CompartmentState,
  { host, told }: { readonly host: string; readonly told: Reported },
  { at }: { readonly at: number },
  limits: RestartLimits
): Decided => {
  if (!isThere(state) || state.host !== host) return told.type === "removed" ? NOTHING : NO_COMPARTMENT
  switch (told.type) {
    case "removed":
      return state.status === "deleting" ? { events: [{ type: "compartment.deleted", v: 1 }] } : NOTHING
    case "upload":
      return state.uploads.some(({ id }) => id === told.upload)
        ? { events: [{ type: "compartment.files_applied", v: 1, upload: told.upload, error: told.error }] }
        : NOTHING
    case "ahead":
      return overtaken(state, told)
    case "running":
      return told.run === state.run && (state.status === "creating" || state.status === "starting")
        ? { events: [{ ...told, type: "compartment.running", v: 1 }] }
        : NOTHING
    default:
      return told.run === state.run ? ended(state, told, at, limits) : NOTHING
  }
}

/** Decides when the timer of a restart fires. */
export const decideDue = (state: CompartmentState, fired: FiredTimer, { at }: { readonly at: number }): Decided => {
  if (!isThere(state) || state.status !== "backoff" || state.restart_at === null) return NOTHING
  const now = firing(fired, state.restart_at, at)
  if (now === "early") return { refused: unavailable("It is not due yet by this node's clock.") }
  return now === "due" ? { events: [startingOf(state, state.restart_count + 1)] } : NOTHING
}
