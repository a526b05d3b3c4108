/** Ends long commands in order when they are interrupted: begun work is undone or closed. */
import { Fault } from "./fault.ts"

const SIGNALS = ["SIGINT", "SIGTERM"] as const

/** `act` must end soon after the signal. An error that it throws after that comes only from the interruption. */
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
