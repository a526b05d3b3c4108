/** The line for an event in the record's list of notes; `null` for an event without one. */
import type { CompartmentEvent } from "./state.ts"

export interface Note {
  readonly type: string
  readonly message: string
}

const EXITS = {
  program: "The program ended",
  stopped: "Stopped",
  lost: "The container was gone, or its host had been started anew",
  disk: "Stopped: /data holds more than 125 % of its quota",
  failed: "It could not be started",
  restored: "Started anew: the service was restored from a backup that is older than the last start"
} as const

const exitOf = ({ why, exit_code, oom_killed, error }: CompartmentEvent & { readonly type: "compartment.exited" }) => {
  const code = exit_code === null ? "" : ` with exit code ${exit_code}`
  const memory = oom_killed ? ", for want of memory" : ""
  return `${EXITS[why]}${why === "program" ? code + memory : ""}${error === null ? "" : `: ${error}`}.`
}

export const noteOf = (event: CompartmentEvent): Note | null => {
  switch (event.type) {
    case "compartment.created":
      return { type: "created", message: `Placed; image ${event.image}.` }
    case "compartment.running":
      return { type: "started", message: `Start ${event.run}.` }
    case "compartment.exited":
      return {
        type: event.why === "disk" ? "disk" : event.why === "stopped" ? "stopped" : "exited",
        message: exitOf(event)
      }
    case "compartment.backing_off":
      return { type: "backoff", message: `Starts again at ${new Date(event.restart_at).toISOString()}.` }
    case "compartment.failed":
      return { type: "failed", message: "It does not start by itself: change what is wrong, then start it." }
    case "compartment.changed":
      return { type: "changed", message: "Changed; it counts from the next start." }
    case "compartment.suspended":
      return { type: "suspended", message: `Suspended by ${event.by}: ${event.reason}` }
    case "compartment.lifted":
      return { type: "lifted", message: `The suspension was lifted by ${event.by}.` }
    case "compartment.moved":
      return { type: "moved", message: "Its host was given up: it begins on another one, with an empty /data." }
    case "compartment.files_applied":
      return event.error === null
        ? { type: "files", message: `Archive ${event.upload} was unpacked.` }
        : { type: "files_failed", message: `Archive ${event.upload} could not be unpacked: ${event.error}` }
    case "compartment.deleting":
      return { type: "deleting", message: "Deleted, with /data." }
    default:
      return null
  }
}
