/** The public form of a compartment, and the form that its host gets. */
import { hubUrlInside } from "../../schemas/compartment/hub-url.ts"
import type { Desired, KnownCompartment } from "../../schemas/compartment/operations.ts"
import { type CompartmentEvent, KEY_NOT_SET, KEY_SET } from "../../schemas/compartment/records.ts"
import type { CompartmentValue, NoteValue } from "./state.ts"
import { iso } from "../../schemas/iso.ts"

const orNull = (ms: number | null): string | null => (ms === null ? null : iso(ms))

export const noteRecord = ({ at, ...note }: NoteValue): CompartmentEvent => ({ ...note, at: iso(at) })

/** Shows the oldest suspension. */
const suspendedOf = ({ suspensions: [first] }: CompartmentValue): KnownCompartment["suspended"] =>
  first === undefined ? null : { ...first, at: iso(first.at) }

export interface Shape {
  readonly baseUrl: string
  readonly quotas: KnownCompartment["quotas"]
  readonly hx_id: string
  /** The agent's present owner. Absent in answers of older releases that were stored. */
  readonly owner?: string | null
}

export const knownRecord = (
  id: string,
  state: CompartmentValue,
  { baseUrl, quotas, hx_id, owner = null }: Shape
): KnownCompartment => ({
  id,
  name: state.name,
  command: state.command,
  image: state.image,
  status: state.status,
  desired: state.desired,
  secrets: state.secrets.map(({ name }) => name).toSorted(),
  environment: {
    HUB_URL: hubUrlInside(baseUrl),
    HUB_ID: hx_id,
    HUB_COMPARTMENT: id,
    HUB_KEY: state.hub_key === null ? KEY_NOT_SET : KEY_SET
  },
  owner: state.human ?? owner,
  agent: state.agent,
  quotas,
  exit_code: state.exit_code,
  oom_killed: state.oom_killed,
  restart_count: state.restart_count,
  next_restart_at: orNull(state.restart_at),
  last_error: state.last_error,
  suspended: suspendedOf(state),
  created_by: state.human === null ? "agent" : "human",
  created_at: iso(state.created_at),
  started_at: orNull(state.started_at),
  stopped_at: orNull(state.stopped_at),
  events: state.notes.toReversed().map(noteRecord)
})

const goalOf = ({ status }: CompartmentValue): Desired["goal"] => {
  if (status === "deleting") return "deleted"
  return status === "creating" || status === "starting" || status === "running" ? "running" : "stopped"
}

export const desiredOf = (state: CompartmentValue): Desired => ({
  goal: goalOf(state),
  status: state.status,
  run: state.run,
  agent: state.agent,
  name: state.name,
  command: state.command,
  image: state.image,
  secrets: state.secrets,
  hub_key: state.hub_key,
  uploads: state.uploads.map(({ files: _files, ...upload }) => upload)
})
