/** Edges with narrow limits, and the homes of their buckets. */
import { openNats, playActors, TestEdge, type TestNats } from "./edge.ts"
import { WireNode } from "./wire-node.ts"

let nats: TestNats
export let node: WireNode
let edge: TestEdge | null = null

export const openNode = async (): Promise<void> => {
  nats = await openNats()
  node = await WireNode.start(nats.url)
  await node.claim()
}

export const closeNode = async (): Promise<void> => {
  await node.stop()
  await nats.stop()
}

export const stopEdge = async (): Promise<void> => {
  await edge?.stop()
  edge = null
  node.forget()
}

/** Budgets of one client that a /48 has, and its challenges in an hour: 64 and 60 elsewhere. */
export const WIDE = 3

export const WIDE_CHALLENGES = 11

/** Homes of buckets, as an actor would keep them. A draw that is asked again, because its answer was late, counts once. */
const playHomes = (limits: Readonly<Record<string, number>>, wideLimits: Readonly<Record<string, number>>): void => {
  playActors(node)
  const left = new Map<string, number>()
  const draws = new Map<string, number>()
  const endsAt = Date.now() + 60_000
  node.on("limit.draw", (ask) => {
    const { bucket, wanted, wide } = ask.input as { bucket: string; wanted: number; wide?: true }
    const limit = wide === true ? (wideLimits[bucket] ?? 1_000_000) : (limits[bucket] ?? 1_000_000)
    const before = draws.get(ask.id)
    const granted = before ?? Math.min(wanted, left.get(ask.actor) ?? limit)
    if (before === undefined) left.set(ask.actor, (left.get(ask.actor) ?? limit) - granted)
    draws.set(ask.id, granted)
    return { data: { granted, limit, remaining: left.get(ask.actor), resets_at: endsAt } }
  })
}

export const start = async (
  limits: Readonly<Record<string, number>>,
  env: Readonly<Record<string, string>> = {},
  wide: Readonly<Record<string, number>> = {}
): Promise<TestEdge> => {
  playHomes(limits, wide)
  const requests = Object.fromEntries(
    Object.entries(limits).map(([name, value]) => [`rate_limits.${name}.requests`, value])
  )
  edge = await TestEdge.start({
    nats: nats.url,
    env,
    limits: { ...requests, "wide_network.budgets": WIDE, "wide_network.challenges": WIDE_CHALLENGES }
  })
  return edge
}

export const statuses = async (
  count: number,
  once: () => Promise<{ status: number }>
): Promise<ReadonlyArray<number>> => {
  const seen: Array<number> = []
  for (let index = 0; index < count; index++) seen.push((await once()).status)
  return seen
}

export const bound = (started: TestEdge) => ({ call: started.call.bind(started) })
