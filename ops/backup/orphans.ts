/**
 * Removes pieces of files that the restored log does not name. They were written between the log's cut and that of the
 * files, for an upload that is not in the backup. There is no timer for them, so nothing else would remove them.
 */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { EventLog } from "../../actors/log/commit.ts"
import { isMissing } from "../../actors/log/jetstream-codes.ts"
import { streams, subjects } from "../../schemas/subjects.ts"

/** Resolves to the number of removed blobs. */
export const dropOrphans = async (log: Pick<EventLog, "lastSeq">, manager: JetStreamManager): Promise<number> => {
  let dropped = 0
  for (const blob of await blobsIn(manager)) {
    if ((await log.lastSeq(subjects.event("blob", blob))) > 0) continue
    await manager.streams.purge(streams.blobs, { filter: subjects.blobOf(blob) })
    dropped++
  }
  return dropped
}

const blobsIn = async (manager: JetStreamManager): Promise<ReadonlySet<string>> => {
  try {
    // The client asks until it has all subjects, even if the server returns few in one answer.
    const { state } = await manager.streams.info(streams.blobs, { subjects_filter: subjects.blobs })
    return new Set(Object.keys(state.subjects ?? {}).map((subject) => subject.split(".")[2] ?? ""))
  } catch (error) {
    // A backup of an earlier release has no such stream.
    if (isMissing(error)) return new Set()
    throw error
  }
}
