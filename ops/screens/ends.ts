/** Ends everything that was started. */

export type End = () => Promise<unknown>

/**
 * Runs all ends, newest first, and removes them from the list. If some fail, the others run nevertheless, and the
 * function fails after the last one.
 */
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
