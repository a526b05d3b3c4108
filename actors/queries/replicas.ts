/** Replicas of the log, as its leader tells of them. */
import type { StreamInfo } from "@nats-io/jetstream"

export interface Replicas {
  readonly wanted: number
  /** Those that have all of it, the leader among them. */
  readonly current: number
  /** Servers whose replica is away or late. */
  readonly missing: ReadonlyArray<string>
}

export const replicasIn = ({ config, cluster }: Pick<StreamInfo, "config" | "cluster">): Replicas => {
  const others = cluster?.replicas ?? []
  const missing = others.filter(({ current, offline }) => !current || offline === true).map(({ name }) => name)
  return { wanted: config.num_replicas, current: 1 + others.length - missing.length, missing }
}
