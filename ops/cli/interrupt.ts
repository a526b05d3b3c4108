/** Ends long commands in order when they are interrupted by SIGINT or SIGTERM. */
import { Fault } from "./fault.ts"

const SIGNALS = ["SIGINT", "SIGTERM"] as const

/**
 * Runs `act` and aborts its signal when the command is interrupted. `act` must end soon after that. An error that `act`
 * throws after the interruption is replaced by a Fault that names the interruption, and `left` if it is given.
 */
export const untilInterrupted = async <T>(act: (signal: AbortSignal) => Promise<T>, left?: string): Promise<T> => {
  const controller = new AbortController()
  const interrupt = (): void => controller.abort()
  for (const name of SIGNALS) process.on(name, interrupt)
  try {
    return await act(controller.signal)
  } catch (error) {
    if (controller.signal.aborted) throw new Fault(left === undefined ? "interrupted" : `interrupted; ${left}`)
    throw error
  } finally {
    for (const name of SIGNALS) process.off(name, interrupt)
  }
}
