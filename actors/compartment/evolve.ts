/** Folds the events of a compartment. */
import { RUNTIME_SERVICE_LIMITS } from "../../schemas/compartment/limits.ts"
import type { NamedBox } from "../../schemas/compartment/operations.ts"
import type { AnswerContext } from "../engine/definition.ts"
import { type CompartmentEvent, type CompartmentState, type CompartmentValue, isSuspended, isThere } from "./state.ts"
import { noteOf } from "./notes.ts"

const { events_shown: NOTES_MAX, links_max: LINKS_MAX } = RUNTIME_SERVICE_LIMITS

/** New secrets replace existing ones of the same name. */
export const secretsAfter = (
  before: ReadonlyArray<NamedBox>,
  { set, removed }: { readonly set: ReadonlyArray<NamedBox>; readonly removed: ReadonlyArray<string> }
): ReadonlyArray<NamedBox> => {
  const gone = new Set([...removed, ...set.map(({ name }) => name)])
  return [...before.filter(({ name }) => !gone.has(name)), ...set]
}

/**
 * Returns the suspensions that remain after `by` lifts. An operator lifts all but those of the agent's own suspension.
 * Others lift their own, or with `report` only the one of that report.
 */
export const suspensionsAfter = (before: CompartmentValue["suspensions"], by: string, report?: number) =>
  before.filter((one) =>
    by === "operator"
      ? one.by === "agent"
      : one.by !== by || (report !== undefined && one.report !== undefined && one.report !== report)
  )

const ordered = (run: number, at: number): Pick<CompartmentValue, "run" | "ordered_at" | "next_run"> => ({
  run,
  ordered_at: at,
  next_run: run + 1
})

const born = (
  {
    agent,
    human,
    owner,
    name,
    command,
    image,
    host,
    secrets,
    hub_key
  }: CompartmentEvent & {
    readonly type: "compartment.created"
  },
  at: number
): CompartmentValue => ({
  agent,
  human,
  owner,
  name,
  command,
  image,
  host,
  secrets,
  hub_key,
  status: "creating",
  desired: "running",
  ...ordered(1, at),
  next: "stopped",
  suspensions: [],
  cleared: false,
  restart_count: 0,
  restart_at: null,
  exit_code: null,
  oom_killed: false,
  last_error: null,
  created_at: at,
  started_at: null,
  stopped_at: null,
  uploads: [],
  last_upload: 0,
  links: [],
  notes: [],
  last_note: 0
})

const changed = (state: CompartmentValue, event: CompartmentEvent, at: number): CompartmentValue => {
  switch (event.type) {
    case "compartment.changed": {
      const { name, command, hub_key } = event
      return { ...state, name, command, secrets: secretsAfter(state.secrets, event), hub_key, cleared: false }
    }
    case "compartment.starting": {
      const { run, restart_count } = event
      return { ...state, status: "starting", desired: "running", ...ordered(run, at), restart_count, restart_at: null }
    }
    case "compartment.running": {
      const { at: started_at, image = state.image } = event
      return { ...state, status: "running", image, started_at, stopped_at: null, last_error: null }
    }
    case "compartment.stopping":
      return { ...state, status: "stopping", next: event.next, desired: event.desired }
    case "compartment.exited": {
      const { exit_code, oom_killed, error, at: stopped_at } = event
      return { ...state, exit_code, oom_killed, stopped_at, last_error: error }
    }
    case "compartment.backing_off":
      // The event's count includes the planned restart, which has not happened yet.
      return { ...state, status: "backoff", restart_at: event.restart_at, restart_count: event.restart_count - 1 }
    case "compartment.failed":
      return { ...state, status: "failed", restart_at: null }
    case "compartment.stopped": {
      const status = isSuspended(state) ? "suspended" : "stopped"
      return { ...state, status, desired: event.desired, restart_at: null }
    }
    case "compartment.suspended":
      return {
        ...state,
        suspensions: [
          ...state.suspensions,
          { by: event.by, reason: event.reason, at, ...(event.report === undefined ? {} : { report: event.report }) }
        ]
      }
    case "compartment.lifted": {
      const suspensions = suspensionsAfter(state.suspensions, event.by, event.report)
      const isFree = suspensions.length === 0
      const status = isFree && state.status === "suspended" ? "stopped" : state.status
      const next = isFree && state.next === "suspended" ? "stopped" : state.next
      // With `by: "report"`, an operator has decided on a report.
      const cleared = state.cleared || event.by === "operator" || event.by === "report"
      return { ...state, suspensions, status, next, cleared }
    }
    case "compartment.moved": {
      const { host, run = state.next_run } = event
      return { ...state, host, status: "creating", ...ordered(run, at), restart_at: null }
    }
    case "compartment.deleting":
      return { ...state, status: "deleting", desired: "stopped", restart_at: null, links: [] }
    default:
      return besides(state, event)
  }
}

/** Folds the events that do not change whether the program runs. */
const besides = (state: CompartmentValue, event: CompartmentEvent): CompartmentValue => {
  switch (event.type) {
    case "compartment.files_queued": {
      const { upload, dest, blob, key, files } = event
      const uploads = [...state.uploads, { id: upload, dest, blob, key, files }]
      return { ...state, uploads, last_upload: upload, cleared: false }
    }
    case "compartment.files_applied":
      return { ...state, uploads: state.uploads.filter(({ id }) => id !== event.upload) }
    case "compartment.link_made": {
      const { hash, until, key } = event
      const link = { hash, until, browser: null, ...(key === undefined ? {} : { key }) }
      return { ...state, links: [...state.links, link].slice(-LINKS_MAX) }
    }
    case "compartment.link_opened": {
      const { hash, browser } = event
      return { ...state, links: state.links.map((link) => (link.hash === hash ? { ...link, browser } : link)) }
    }
    default:
      return state
  }
}

const noted = (state: CompartmentValue, event: CompartmentEvent, at: number): CompartmentValue => {
  const note = noteOf(event)
  if (note === null) return state
  const id = state.last_note + 1
  return { ...state, last_note: id, notes: [...state.notes, { id, at, ...note }].slice(-NOTES_MAX) }
}

export const evolveCompartment = (
  state: CompartmentState,
  event: CompartmentEvent,
  { at }: Pick<AnswerContext, "at">
): CompartmentState => {
  if (event.type === "compartment.created") return noted(born(event, at), event, at)
  if (!isThere(state)) return state
  if (event.type === "compartment.deleted") return { status: "deleted", agent: state.agent }
  return noted(changed(state, event, at), event, at)
}
