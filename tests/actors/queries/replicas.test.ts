/** Replicas of the log, from what nats-server tells. */
import type { StreamInfo } from "@nats-io/jetstream"
import { expect, test } from "vitest"
import { replicasIn } from "../../../actors/queries/replicas.ts"

const told = (replicas: ReadonlyArray<{ name: string; current: boolean; offline?: boolean }>) =>
  replicasIn({
    config: { num_replicas: replicas.length + 1 },
    cluster: { leader: "nats-1", replicas: replicas.map((one) => ({ active: 0, ...one })) }
  } as unknown as StreamInfo)

test("a server alone has the one replica", () => {
  expect(replicasIn({ config: { num_replicas: 1 } } as unknown as StreamInfo)).toEqual({
    wanted: 1,
    current: 1,
    offline: [],
    lagging: []
  })
})

test("a replica counts where it is there and has all", () => {
  const [second, third] = ["nats-2", "nats-3"] as const
  const well = { name: second, current: true }
  expect(told([well, { name: third, current: true }])).toEqual({ wanted: 3, current: 3, offline: [], lagging: [] })
  expect(told([well, { name: third, current: false }])).toMatchObject({ current: 2, lagging: [third], offline: [] })
  expect(told([well, { name: third, current: true, offline: true }])).toMatchObject({
    current: 2,
    offline: [third],
    lagging: []
  })
})
