/** Archives all that the log of a test system has. */
import { streams, subjects } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { operate } from "./hub.ts"
import type { TestService } from "./service.ts"

/** True if the log has only claims on texts up to a sequence. It keeps those to their end. */
export const isDropped = async ({ manager }: TestService["view"], last: number): Promise<boolean> => {
  for (let seq = 1; ;) {
    const found = await manager.direct.getMessage(streams.events, { seq, next_by_subj: subjects.events })
    if (found === null || found.seq > last) return true
    if (!found.subject.startsWith(subjects.event("text", ""))) return false
    seq = found.seq + 1
  }
}

/** Resolves when every reader of the log has read what it has now, and the log has dropped it. */
export const archiveAll = async ({ view, system }: TestService): Promise<void> => {
  const { last_seq: last } = (await view.manager.streams.info(streams.events)).state
  await waitFor(
    async () => {
      await operate(system, ["archive", "--now", "--days", "0"])
      return isDropped(view, last)
    },
    { describe: `an archive up to #${last}` }
  )
}
