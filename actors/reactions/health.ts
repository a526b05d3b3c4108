/** What health tells of the reactions: how long the oldest commit waits for them, and what they had to pass over. */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { streams, subjects } from "../../schemas/subjects.ts"
import { firstBehind } from "../queries/lag.ts"
import { REACTIONS } from "./all.ts"
import { readMark } from "./marks.ts"

export interface ReactionsSeen {
  /** By set, of those that are behind: since when, in unix ms, its oldest commit waits. */
  readonly waiting: ReadonlyMap<string, number>
  /** Commits that were passed over. */
  readonly faults: number
}

/** Rejects when the bus does not answer. */
export const reactionsSeen = async (nats: NatsConnection, manager: JetStreamManager): Promise<ReactionsSeen> => {
  const faults = manager.streams.info(streams.reactions, { subjects_filter: subjects.reactionFaults("*") })
  const sets = REACTIONS.map(async ({ name, stream, subjects: read }) => {
    const { seq } = await readMark(nats, name)
    const since = await firstBehind(manager, { stream, subjects: read }, seq)
    return since === null ? [] : [[name, since] as const]
  })
  const [{ state }, ...found] = await Promise.all([faults, ...sets])
  return { waiting: new Map(found.flat()), faults: Object.keys(state.subjects ?? {}).length }
}
