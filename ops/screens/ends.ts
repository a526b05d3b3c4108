/** Ends of everything that was started. */

export type End = () => Promise<unknown>

/** Runs and removes all, newest first. A failure does not stop the others. Fails after the last of them. */
export const endAll = async (ends: Array<End>): Promise<void> => {
  const faults: Array<unknown> = []
  for (const end of ends.splice(0).toReversed()) {
    try {
      await end()
    } catch (fault) {
      faults.push(fault)
    }
  }
  if (faults.length > 0) throw new AggregateError(faults, "Something that was started could not be ended")
}
