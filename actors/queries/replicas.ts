/** Replicas of a stream, as its leader reports them. */
import type { PeerInfo, StreamInfo } from "@nats-io/jetstream"

export interface Replicas {
  readonly wanted: number
  /** The number of replicas that are up to date, including the leader. */
  readonly current: number
  /** Servers that should have a replica and do not answer. */
  readonly offline: ReadonlyArray<string>
  readonly lagging: ReadonlyArray<string>
}

export const replicasIn = ({ config, cluster }: Pick<StreamInfo, "config" | "cluster">): Replicas => {
  const others = cluster?.replicas ?? []
  const named = (wanted: (one: PeerInfo) => boolean) => others.filter(wanted).map(({ name }) => name)
  const offline = named((one) => one.offline === true)
  const lagging = named((one) => one.offline !== true && !one.current)
  const current = 1 + others.length - offline.length - lagging.length
  return { wanted: config.num_replicas, current, offline, lagging }
}
