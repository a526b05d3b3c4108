/**
 * The last restore of the log. In a restored log, sessions that were ended after the backup are open again, and letters
 * that were sent then wait again. So secrets and letters from before the restore are no longer valid. Nodes read it at
 * their start. A node that did not stop for a restore ends as soon as it sees a later one.
 */
import { subjects } from "../../schemas/subjects.ts"
import type { EventLog } from "./commit.ts"

export interface Restored {
  /** Sequence of the restore's record in the log. Every later commit was written since. */
  readonly seq: number
  /** Unix ms. */
  readonly at: number
}

export const NEVER_RESTORED: Restored = { seq: 0, at: 0 }

/** The actor that a restore writes its record to (ops/backup/gap.ts). */
export const RESTORE_RECORD = { kind: "restore", id: "gap" } as const

export const lastRestore = async (log: Pick<EventLog, "last">): Promise<Restored> => {
  const found = await log.last(subjects.event(RESTORE_RECORD.kind, RESTORE_RECORD.id))
  return found === null ? NEVER_RESTORED : { seq: found.seq, at: found.commit.at }
}
