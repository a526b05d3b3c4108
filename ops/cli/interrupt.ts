/** Ends long commands in order when they are interrupted by SIGINT or SIGTERM. */
import { Fault } from "./fault.ts"

const SIGNALS = ["SIGINT", "SIGTERM"] as const

/**
 * Runs `act` and aborts its signal when the command is interrupted. `act` must end soon after that. An error that `act`
 * throws after the interruption is replaced by a Fault that names the interruption.
 */
export const untilInterrupted = async <T>(act: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const controller = new AbortController()
  const interrupt = (): void => controller.abort()
  for (const name of SIGNALS) process.on(name, interrupt)
  try {
    return await act(controller.signal)
  } catch (error) {
    if (controller.signal.aborted) throw new Fault("interrupted")
    throw error
  } finally {
    for (const name of SIGNALS) process.off(name, interrupt)
  }
}
