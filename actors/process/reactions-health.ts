/**
 * The health of reactions: how long the oldest commit waits, and how many commands could not be carried out in order.
 */
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { firstBehind } from "../projections/lag.ts"
import { REACTIONS } from "./reactions.ts"
import { asideCount } from "../reactions/aside.ts"
import { readMark } from "../reactions/marks.ts"

export interface ReactionsSeen {
  /** By the name of each set that is behind: the time of the oldest commit that waits for it, in Unix ms. */
  readonly waiting: ReadonlyMap<string, number>
  /** The number of parked commands (reactions/parking.ts). */
  readonly parked: number
  /** The number of commands and commits that were skipped as faults (reactions/aside.ts). */
  readonly faults: number
}

/** Rejects when the bus does not answer. */
export const reactionsSeen = async (nats: NatsConnection, manager: JetStreamManager): Promise<ReactionsSeen> => {
  const aside = Promise.all([asideCount(manager, "*", "parked"), asideCount(manager, "*", "fault")])
  const sets = REACTIONS.map(async ({ name, stream, subjects: read }) => {
    const { seq } = await readMark(nats, name)
    const since = await firstBehind(manager, { stream, subjects: read }, seq)
    return since === null ? [] : [[name, since] as const]
  })
  const [[parked, faults], ...found] = await Promise.all([aside, ...sets])
  return { waiting: new Map(found.flat()), parked, faults }
}
