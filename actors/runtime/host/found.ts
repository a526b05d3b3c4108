/** Translates the engine's description of a container. Pure. */
import type Docker from "dockerode"
import { LABELS } from "./docker.ts"
import type { FoundContainer } from "./types.ts"

const KILLED = 128 + 9

/** Unix ms; `null` for the engine's zero time, which is in the year 1. */
function timeOf(text: string): number | null {
  const at = Date.parse(text)
  return Number.isFinite(at) && at > 0 ? at : null
}

const stateOf = (status: string): FoundContainer["state"] => {
  if (status === "created") return "created"
  return status === "running" || status === "paused" || status === "restarting" ? "running" : "exited"
}

export function foundOf({ Config, State }: Docker.ContainerInspectInfo): FoundContainer {
  const label = (name: string): string => Config.Labels[name] ?? ""
  const state = stateOf(State.Status)
  const exited = state === "exited"
  return {
    compartment: label(LABELS.compartment),
    run: Number(label(LABELS.run)),
    slot: Number(label(LABELS.slot)),
    image: Config.Image,
    state,
    exitCode: exited ? State.ExitCode : null,
    // The engine sets this for any killed process of the container. A program that continued and ended otherwise was
    // not killed.
    oomKilled: exited && State.OOMKilled && State.ExitCode === KILLED,
    startedAt: timeOf(State.StartedAt),
    finishedAt: exited ? timeOf(State.FinishedAt) : null
  }
}
