/** The cluster as its page shows it: from the leases now, and the figures of the last look. Pure. */
import { SHARD_COUNT } from "../../../schemas/subjects.ts"
import type { Cluster, NodeRow } from "../../status/cluster.ts"
import { placeOf } from "../../status/cluster.ts"
import { iso } from "../../../schemas/iso.ts"
import { type Problem, type Verdict, verdictOf } from "../../status/verdict.ts"
import type { Json } from "../patch.ts"
import type { History, Silent } from "./history.ts"
import type { Job } from "./jobs.ts"

export interface Leases {
  readonly ownerOf: (shard: number) => string | null
  readonly isLive: (session: string) => boolean
  readonly sessions: () => ReadonlyArray<string>
}

export interface ClusterSnapshot {
  readonly cluster: Cluster
  /** ISO 8601. */
  readonly at: string
}

const SECOND_MS = 1000
const SHARDS: ReadonlyArray<number> = Array.from({ length: SHARD_COUNT }, (_, shard) => shard)

/** A shard whose owner's session has ended has no owner. */
const ownersIn = (leases: Leases): ReadonlyArray<string | null> =>
  SHARDS.map((shard) => {
    const owner = leases.ownerOf(shard)
    return owner !== null && leases.isLive(owner) ? owner : null
  })

const UNSEEN: Omit<NodeRow, "session" | "shards"> = {
  name: "?",
  host: "?",
  pid: 0,
  roles: [],
  started_at: "?",
  resident: 0,
  answers: true
}

/** Nodes that hold a session at present. For a node that came after the last look, only the session is known. */
const nodesIn = (
  leases: Leases,
  owners: ReadonlyArray<string | null>,
  seen: ClusterSnapshot | null
): ReadonlyArray<NodeRow> =>
  leases
    .sessions()
    .toSorted()
    .map((session) => ({
      ...(seen?.cluster.nodes.find((node) => node.session === session) ?? UNSEEN),
      session,
      shards: SHARDS.filter((shard) => owners[shard] === session)
    }))

/** Values that are read at each moment, independently of the last look. */
export interface Recorded {
  readonly history: Pick<History, "points" | "loadOf" | "silent">
  readonly jobs: ReadonlyArray<Job>
}

const NOTHING_SEEN = { verdict: null, seen_at: null, services: null, streams: null, read_models: null, reactions: null }

/** Formats Unix seconds as `05:08:22 UTC`. Silent processes are listed for ten minutes, so the date is left out. */
const clockOf = (seconds: number): string => `${iso(seconds * SECOND_MS).slice(11, 19)} UTC`

/**
 * Adds processes that no longer answer. The console remembers them longer than the leases do: a node that was killed or
 * frozen has lost its lease.
 */
const withSilent = ({ status, problems }: Verdict, silent: ReadonlyArray<Silent>): Verdict => ({
  status: status === "healthy" && silent.length > 0 ? "degraded" : status,
  problems: [
    ...problems,
    ...silent.map(({ roles, since, ...place }): Problem => ({
      status: "degraded",
      says: `the process of ${roles} ${placeOf(place)} is silent since ${clockOf(since)}: killed, frozen, cut off or stopped`
    }))
  ]
})

const UNKNOWN_LOAD = { cpu: null, memory_bytes: null }

const json = (value: object): Json => JSON.parse(JSON.stringify(value)) as Json

export const snapshotOf = (leases: Leases, seen: ClusterSnapshot | null, { history, jobs }: Recorded): Json => {
  const shards = ownersIn(leases)
  const nodes = nodesIn(leases, shards, seen)
  const services = seen?.cluster.services ?? []
  const shown = nodes.map((node) => ({
    ...node,
    ...(history.loadOf(node) ?? UNKNOWN_LOAD),
    shards: node.shards.length,
    place: node.host === "?" ? "?" : placeOf(node),
    version: services.find(({ host, pid }) => host === node.host && pid === node.pid)?.version ?? "?"
  }))
  const recorded = { points: history.points, jobs }
  if (seen === null) return json({ ...NOTHING_SEEN, ...recorded, checks: null, shards, nodes: shown })
  const { cluster, at } = seen
  const unowned = SHARDS.filter((shard) => shards[shard] === null)
  return json({
    ...cluster,
    ...recorded,
    services: cluster.services?.map((one) => ({ ...one, ...(history.loadOf(one) ?? UNKNOWN_LOAD) })) ?? null,
    verdict: withSilent(verdictOf({ ...cluster, nodes, unowned_shards: unowned }), history.silent),
    seen_at: at,
    shards,
    nodes: shown
  })
}
