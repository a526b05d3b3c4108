/** Bounds for pages that read the log: the time, and the number of readings at once. */
import { MisshapenEvent } from "../../actors/engine/events.ts"
import { UnknownEvent } from "../../actors/engine/fold.ts"
import { Fault } from "../cli/fault.ts"

export const READ_MS = 8000
const READS_MAX = 4

let open = 0

/** Throws a Fault if too many readings are under way, or if a newer release wrote the log. */
export const reading = async <T>(read: (signal: AbortSignal) => Promise<T>, ms = READ_MS): Promise<T> => {
  if (open >= READS_MAX)
    throw new Fault(`${READS_MAX} pages are reading the log already. Open this page again in a moment.`)
  open++
  try {
    return await read(AbortSignal.timeout(ms))
  } catch (error) {
    throw error instanceof UnknownEvent || error instanceof MisshapenEvent ? new Fault(error.message) : error
  } finally {
    open--
  }
}
