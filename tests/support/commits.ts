/** Counts the commits in the log, without the messages that only guard others and expire after a minute. */
import type { JetStreamManager } from "@nats-io/jetstream"
import { isGuarding } from "../../actors/log/archive/mark.ts"
import { streams } from "../../schemas/subjects.ts"

export const commitsIn = async (manager: JetStreamManager): Promise<number> => {
  const { state } = await manager.streams.info(streams.events, { subjects_filter: ">" })
  return Object.entries(state.subjects ?? {})
    .filter(([subject]) => !isGuarding(subject))
    .reduce((sum, [, count]) => sum + count, 0)
}
