/**
 * `hub runtime …`: prepares this machine as a host of compartments, or ends the compartments on it. No server is
 * needed.
 */
import { LaunchFault } from "../launcher/fault.ts"
import { dataFolder } from "../launcher/paths.ts"
import { type Command, noServers } from "./command.ts"
import { Fault } from "./fault.ts"
import { untilInterrupted } from "./interrupt.ts"
import { remark } from "./output.ts"

const prepared = (dataDir: string): Promise<string> =>
  untilInterrupted(async (signal) => {
    // Loaded only here: making an image needs packages that the service's own container image does not have.
    const { prepare } = await import("../runtime/prepare.ts")
    const progress = (line: string): void => remark(`${line}\n`)
    const { engine, image } = await prepare({ dataDir, env: process.env, progress, signal })
    return `compartments have an engine at ${engine.socket} and the image ${image}`
  })

const ended = async (dataDir: string): Promise<string> => {
  const { endAll } = await import("../runtime/end.ts")
  const { ended: ids, removed } = await endAll(dataDir)
  const what = ids.length === 0 ? "no compartment ran here" : `ended ${ids.join(", ")}`
  return removed.length === 0 ? what : `${what}; removed ${removed.join(", ")}`
}

const on = (act: (dataDir: string) => Promise<string>) => () =>
  act(dataFolder(process.env)).catch((error: unknown) => {
    throw error instanceof LaunchFault ? new Fault(error.message) : error
  })

export const runtimeCommands: ReadonlyArray<Command> = [
  { usage: ["runtime prepare"], servers: noServers, alone: on(prepared) },
  { usage: ["runtime end"], servers: noServers, alone: on(ended) }
]
