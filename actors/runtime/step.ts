/** Decides a host's next step about one compartment, from the desired state and the actual one. Pure. */
import type { Desired } from "../../schemas/compartment/operations.ts"
import type { FoundContainer } from "./host/types.ts"

export type Step =
  | { readonly do: "nothing" }
  | { readonly do: "start" }
  /**
   * The program runs. Its output is read, and waiting archives are unpacked. `tell`: its actor does not know yet that
   * it runs.
   */
  | { readonly do: "keep"; readonly tell: boolean; readonly startedAt: number | null }
  | { readonly do: "stop" }
  /** The program ended. Its actor is informed and decides what happens next. */
  | {
      readonly do: "tell exit"
      readonly exitCode: number | null
      readonly oomKilled: boolean
      readonly why: "program" | "stopped" | "lost" | "disk"
      readonly at: number | null
    }
  /**
   * This host has begun a later run than its actor knows, because the log was restored. The actor gives the next start a
   * number after `run`, so that what runs here is ended as an earlier start.
   */
  | { readonly do: "tell ahead"; readonly run: number }
  /** Removes the container. The compartment's data and log stay. */
  | { readonly do: "remove" }
  | { readonly do: "destroy" }

interface There {
  /** `null`: the actor does not know the compartment, or it belongs to another host. */
  readonly wanted: Pick<Desired, "goal" | "run" | "status"> | null
  readonly found: FoundContainer | null
  readonly begun: number
  readonly overfull?: number | undefined
}

const exitOf = ({ exitCode, oomKilled, finishedAt }: FoundContainer, why: "program" | "stopped" | "disk"): Step => ({
  do: "tell exit",
  exitCode,
  oomKilled,
  why,
  at: finishedAt
})

const LOST: Step = { do: "tell exit", exitCode: null, oomKilled: false, why: "lost", at: null }
const GONE: Step = { do: "tell exit", exitCode: null, oomKilled: false, why: "stopped", at: null }

const toRun = (wanted: NonNullable<There["wanted"]>, { found, begun, overfull }: Omit<There, "wanted">): Step => {
  const newest = Math.max(begun, found?.run ?? 0)
  // The wanted state may be a moment old. So only the actor's answer ends a container of a later start.
  if (newest > wanted.run) return { do: "tell ahead", run: newest }
  if (found === null) return begun === wanted.run ? LOST : { do: "start" }
  // A container of an earlier start is removed first.
  if (found.run < wanted.run) return { do: found.state === "running" ? "stop" : "remove" }
  if (found.state === "created") return { do: "start" }
  if (found.state === "exited") return exitOf(found, found.run === overfull ? "disk" : "program")
  if (found.run === overfull) return { do: "stop" }
  return { do: "keep", tell: wanted.status !== "running", startedAt: found.startedAt }
}

const toStop = (wanted: NonNullable<There["wanted"]>, found: FoundContainer | null): Step => {
  if (found?.state === "running") return { do: "stop" }
  if (wanted.status === "stopping") return found === null || found.run < wanted.run ? GONE : exitOf(found, "stopped")
  return found === null ? { do: "nothing" } : { do: "remove" }
}

export const nextStep = ({ wanted, ...there }: There): Step => {
  const { found } = there
  if (wanted === null) {
    if (found === null) return { do: "nothing" }
    return { do: found.state === "running" ? "stop" : "remove" }
  }
  if (wanted.goal === "deleted") return { do: "destroy" }
  return wanted.goal === "running" ? toRun(wanted, there) : toStop(wanted, found)
}
