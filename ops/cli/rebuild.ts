/**
 * `hub rebuild`: makes read models again from the log, in this process, while the service runs. Requests read the old
 * tables until the new ones replace them (actors/projections/rebuild.ts).
 */
import { Effect } from "effect"
import { PROJECTIONS } from "../../actors/process/projections.ts"
import type { Projection } from "../../actors/projections/projection.ts"
import { rebuild } from "../../actors/projections/rebuild.ts"
import { Busy } from "../../actors/projections/steps.ts"
import type { Command } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"
import { untilInterrupted } from "./interrupt.ts"
import { type Done, progressOf, rate } from "./progress.ts"

export const rebuildCommand: Command = {
  usage: ["rebuild", `rebuild ${PROJECTIONS.map((projection) => projection.name).join("|")}`],
  run: (service, { positionals: [name] }) =>
    untilInterrupted(async (signal) => {
      const said: Array<string> = []
      for (const projection of PROJECTIONS.filter((one) => name === undefined || one.name === name))
        said.push(await rebuilt(service, projection, signal, progressOf(projection.name)))
      return said.join("\n")
    })
}

/** Rebuilds one read model and reports the result. A Fault says why nothing has changed. */
export const rebuilt = async (
  { nats, manager, databaseUrl, limits, archive }: Service,
  projection: Projection,
  signal: AbortSignal,
  progress: (done: Done) => void
): Promise<string> => {
  const { name, tables } = projection
  try {
    const rebuilding = rebuild({ nats, manager, databaseUrl, limits, projection, progress, archive })
    const { messages, seconds, seq } = await Effect.runPromise(rebuilding, { signal })
    return (
      `${name} rebuilt: ${messages} commits in ${seconds.toFixed(1)} s, ${rate(messages, seconds)} a second; ` +
      `${tables.map((table) => table.name).join(", ")} took over at sequence ${seq}`
    )
  } catch (error) {
    if (error instanceof Busy) throw new Fault(error.message)
    // Faults of Postgres, of the bus, or of connections are reported in one line. Errors in this program are thrown
    // with their stack.
    if (error instanceof Error && !(error instanceof TypeError))
      throw new Fault(`${name} was not rebuilt: ${error.message}; what is served is as it was`)
    throw error
  }
}
