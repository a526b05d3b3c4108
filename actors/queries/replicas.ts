/** Replicas of a stream, as its leader tells of them. */
import type { PeerInfo, StreamInfo } from "@nats-io/jetstream"

export interface Replicas {
  readonly wanted: number
  /** Those that have all of it, the leader among them. */
  readonly current: number
  /** Servers that should have one, and are away. */
  readonly offline: ReadonlyArray<string>
  /** Servers whose replica has not all yet. */
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
