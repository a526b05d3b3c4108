/**
 * `hub rebuild`: read models made again from the log, in this process, while the service runs. The served tables stay
 * as they are until the new ones take their place (actors/projections/rebuild.ts).
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

/** Reports the result. A Fault says why nothing has changed. */
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
    // A fault of Postgres, of the bus, or of the connections to them. An error of our own shows its stack.
    if (error instanceof Error && !(error instanceof TypeError))
      return new Fault(`${name} was not rebuilt: ${error.message}; what is served is as it was`)
    return error
  }
  return rebuild({ nats, manager, databaseUrl, limits, projection, progress, archive }).pipe(
    Effect.map(reported),
    Effect.mapError(explained)
  )
}
