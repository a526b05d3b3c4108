/**
 * The mark of an unfinished restore. It is a stream of its own, made before a restore deletes anything and deleted when
 * everything is complete. So it is there wherever a restore was interrupted. Backups do not contain it.
 */
import { type JetStreamManager, RetentionPolicy, StorageType } from "@nats-io/jetstream"
import { restoreMark, subjects } from "../../schemas/subjects.ts"
import { isMissing } from "./jetstream-codes.ts"

export class HalfRestored extends Error {
  constructor() {
    super("a restore is under way, or was interrupted: run hub restore again, which completes it")
  }
}

export const isHalfRestored = async (manager: JetStreamManager): Promise<boolean> => {
  try {
    await manager.streams.info(restoreMark)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/**
 * Refuses to work during a restore. A program that began with half of the streams would make the other half itself,
 * empty.
 */
export const refuseHalfRestored = async (manager: JetStreamManager): Promise<void> => {
  if (await isHalfRestored(manager)) throw new HalfRestored()
}

export const setRestoreMark = async (manager: JetStreamManager, replicas: number): Promise<void> => {
  if (await isHalfRestored(manager)) return
  await manager.streams.add({
    name: restoreMark,
    subjects: [subjects.restore],
    storage: StorageType.File,
    retention: RetentionPolicy.Limits,
    max_msgs: 1,
    num_replicas: replicas
  })
}

export const takeRestoreMark = async (manager: JetStreamManager): Promise<void> => {
  await manager.streams.delete(restoreMark)
}
