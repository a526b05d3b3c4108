/**
 * `hub rebuild`: makes read models again from the log, in this process, while the service runs. Requests read the old
 * tables until the new ones replace them (actors/projections/rebuild.ts).
 */
import { Effect } from "effect"
import { PROJECTIONS } from "../../actors/process/projections.ts"
import type { Projection } from "../../actors/projections/projection.ts"
import { rebuild, type Rebuilt } from "../../actors/projections/rebuild.ts"
import { Busy, PLACES } from "../../actors/projections/steps.ts"
import type { Command } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"
import { untilInterrupted } from "./interrupt.ts"
import { type Done, progressOf, rate } from "./progress.ts"

export const rebuildCommand: Command = {
  usage: ["rebuild", `rebuild ${PROJECTIONS.map((projection) => projection.name).join("|")}`],
  run: (service, { positionals: [name] }) =>
    untilInterrupted(async (signal) => {
      const chosen = PROJECTIONS.filter((one) => name === undefined || one.name === name)
      const rebuilding = Effect.forEach(chosen, (one) => rebuilt(service, one, progressOf(one.name)), {
        concurrency: PLACES
      })
      return (await Effect.runPromise(rebuilding, { signal })).join("\n")
    })
}

/** Rebuilds one read model and reports the result. A Fault says why nothing has changed. */
export const rebuilt = (
  { nats, manager, databaseUrl, limits, archive }: Service,
  projection: Projection,
  progress: (done: Done) => void
): Effect.Effect<string, unknown> => {
  const { name, tables } = projection
  const reported = ({ messages, seconds, seq }: Rebuilt): string =>
    `${name} rebuilt: ${messages} commits in ${seconds.toFixed(1)} s, ${rate(messages, seconds)} a second; ` +
    `${tables.map((table) => table.name).join(", ")} took over at sequence ${seq}`
  const explained = (error: unknown): unknown => {
    if (error instanceof Busy) return new Fault(error.message)
    // Faults of Postgres, of the bus, or of connections are reported in one line. Errors in this program are thrown
    // with their stack.
    if (error instanceof Error && !(error instanceof TypeError))
      return new Fault(`${name} was not rebuilt: ${error.message}; what is served is as it was`)
    return error
  }
  return rebuild({ nats, manager, databaseUrl, limits, projection, progress, archive }).pipe(
    Effect.map(reported),
    Effect.mapError(explained)
  )
}
