/**
 * `hub rebuild`: makes read models again from the log, in this process, while the service runs. Requests read the old
 * tables until the new ones replace them (actors/projections/rebuild.ts).
 */
import { Effect } from "effect"
import { PROJECTIONS } from "../../actors/process/projections.ts"
import { ProjectionFault } from "../../actors/projections/filling.ts"
import type { Projection } from "../../actors/projections/projection.ts"
import { rebuildAll, type Rebuilt } from "../../actors/projections/rebuild.ts"
import { Busy } from "../../actors/projections/steps.ts"
import type { Command } from "./command.ts"
import type { Service } from "./connection.ts"
import { Fault } from "./fault.ts"
import { untilInterrupted } from "./interrupt.ts"
import { type LogProgress, progressOf, rate } from "./progress.ts"

export const rebuildCommand: Command = {
  usage: ["rebuild", `rebuild ${PROJECTIONS.map((projection) => projection.name).join("|")}`],
  run: (service, { positionals: [name] }) =>
    untilInterrupted((signal) => {
      const projections = PROJECTIONS.filter((one) => name === undefined || one.name === name)
      return rebuilt(service, projections, signal, (projection) => progressOf(projection.name))
    })
}

/**
 * Rebuilds read models and reports a line for each. If one cannot be rebuilt, a Fault has the reason and the lines of
 * those that were.
 */
export const rebuilt = async (
  { nats, manager, databaseUrl, limits, archive }: Service,
  projections: ReadonlyArray<Projection>,
  signal: AbortSignal,
  progress: (projection: Projection) => (done: LogProgress) => void
): Promise<string> => {
  const done = new Map<Projection, Rebuilt>()
  const replaced = (one: Rebuilt): void => void done.set(one.projection, one)
  const reports = (): ReadonlyArray<string> =>
    projections.flatMap((projection) => {
      const one = done.get(projection)
      return one === undefined ? [] : [report(one)]
    })
  try {
    const rebuilding = rebuildAll({ nats, manager, databaseUrl, limits, archive, projections, progress, replaced })
    await Effect.runPromise(rebuilding, { signal })
    return reports().join("\n")
  } catch (error) {
    if (error instanceof Busy) throw new Fault(error.message)
    const cause = error instanceof ProjectionFault ? error.cause : error
    // Only a TypeError, or a value that is no Error, counts as a fault of this program and is thrown unchanged.
    if (!(cause instanceof Error) || cause instanceof TypeError) throw error
    const names = error instanceof ProjectionFault ? error.projection : projections.map(({ name }) => name).join(", ")
    const failed = `${names} was not rebuilt: ${cause.message}; what is served is as it was`
    throw new Fault([...reports(), failed].join("\n"))
  }
}

const report = ({ projection: { name, tables }, messages, seconds, seq }: Rebuilt): string =>
  `${name} rebuilt: ${messages} commits in ${seconds.toFixed(1)} s, ${rate(messages, seconds)} a second; ` +
  `${tables.map((table) => table.name).join(", ")} took over at sequence ${seq}`
