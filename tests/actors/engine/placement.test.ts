/**
 * Placement by itself, over a store whose writes and preparations fail: no shard is left with a living owner that does
 * not serve it.
 */
import { describe, expect, test } from "vitest"
import { type LeaseStore, Placement, type Written } from "../../../actors/engine/placement.ts"
import { LeaseView, nodeKey, shardKey } from "../../../schemas/runtime/bus/lease-view.ts"
import { SHARD_COUNT } from "../../../schemas/subjects.ts"

const TICK_MS = 250

class World {
  now = 0
  readonly view = new LeaseView()
  private readonly revisions = new Map<string, number>()
  private last = 0
  /** Whether a write is stored and not acknowledged, or never arrives; `null`: neither. */
  fault: (key: string) => "unacknowledged" | "lost" | null = () => null
  prepares = true
  /** What this side last heard of a key's revision, where that is old; `null`: what the server has. */
  staleRevision: (key: string) => number | null = () => null

  readonly store: LeaseStore = {
    put: (key, value, expected) => this.write(key, value, expected),
    remove: (key, expected) => this.write(key, null, expected),
    revision: (key) => this.staleRevision(key) ?? this.revisions.get(key) ?? 0,
    ping: () => Promise.resolve("pong")
  }

  private write(key: string, value: string | null, expected: number): Promise<Written> {
    const fault = this.fault(key)
    if (fault === "lost") return Promise.resolve({ ok: false, reason: "unknown" })
    if ((this.revisions.get(key) ?? 0) !== expected) return Promise.resolve({ ok: false, reason: "conflict" })
    this.revisions.set(key, ++this.last)
    this.view.apply(key, value)
    return Promise.resolve(fault === null ? { ok: true, revision: this.last } : { ok: false, reason: "unknown" })
  }

  node(name: string): Placement {
    let sessions = 0
    return new Placement({
      store: this.store,
      view: this.view,
      now: () => this.now,
      newSession: () => `${name}${++sessions}`,
      describe: () => "",
      ttlSeconds: 3,
      events: {
        began: () => Promise.resolve(),
        ended: () => undefined,
        prepare: () => (this.prepares ? Promise.resolve() : Promise.reject(new Error("the stream has no leader"))),
        drain: () => Promise.resolve(),
        dropped: () => undefined
      }
    })
  }

  /** Beats of all nodes, so many. */
  async pass(nodes: ReadonlyArray<Placement>, ticks: number): Promise<void> {
    for (let tick = 0; tick < ticks; tick++) {
      this.now += TICK_MS
      for (const node of nodes) await node.tick()
      // What a tick began of claims and returns goes on by itself.
      for (let turn = 0; turn < 20; turn++) await Promise.resolve()
    }
  }
}

const shards = Array.from({ length: SHARD_COUNT }, (_, shard) => shard)
const served = (nodes: ReadonlyArray<Placement>): ReadonlyArray<number> =>
  shards.map((shard) => nodes.filter((node) => node.serves(shard)).length)
const eachOnce = shards.map(() => 1)

describe("every shard is served by one node in the end", () => {
  test("when nothing fails", async () => {
    const world = new World()
    const nodes = [world.node("a"), world.node("b")]
    await world.pass(nodes, 10)
    expect(served(nodes)).toEqual(eachOnce)
    expect(nodes.map((node) => shards.filter((shard) => node.serves(shard)).length).every((count) => count > 10)).toBe(
      true
    )
  })

  test("when claims could not be prepared, and another node is the better owner by then", async () => {
    const world = new World()
    const first = world.node("a")
    world.prepares = false
    await world.pass([first], 3)
    expect(shards.every((shard) => world.view.ownerOf(shard) === "a1" && !first.serves(shard))).toBe(true)
    const nodes = [first, world.node("b")]
    await world.pass(nodes, 4)
    world.prepares = true
    await world.pass(nodes, 10)
    expect(served(nodes)).toEqual(eachOnce)
  })

  test.each(["lost", "unacknowledged"] as const)("when keys are given back by writes that are %s", async (fault) => {
    const world = new World()
    const first = world.node("a")
    await world.pass([first], 4)
    world.fault = (key) => (key.startsWith("shard.") ? fault : null)
    const nodes = [first, world.node("b")]
    await world.pass(nodes, 6)
    world.fault = () => null
    await world.pass(nodes, 12)
    expect(served(nodes)).toEqual(eachOnce)
    expect(shards.every((shard) => world.view.isLive(world.view.ownerOf(shard) ?? ""))).toBe(true)
  })

  test("but none that the key gives to another, whatever an old view says", async () => {
    const world = new World()
    const node = world.node("a")
    world.prepares = false
    await world.pass([node], 3)
    expect(world.view.ownerOf(7)).toBe("a1")
    // The server has moved on, and this view has not heard of it: the key is another's, and its revision not what is
    // known here.
    world.staleRevision = (key) => (key === shardKey(7) ? 0 : null)
    world.prepares = true
    await world.pass([node], 5)
    expect(shards.filter((shard) => !node.serves(shard))).toEqual([7])
  })

  test("and a claim whose acknowledgement is lost is served all the same", async () => {
    const world = new World()
    let lost = 0
    world.fault = (key) => (key === shardKey(7) && lost++ === 0 ? "unacknowledged" : null)
    const node = world.node("a")
    await world.pass([node], 5)
    expect(node.serves(7)).toBe(true)
    expect(world.store.revision(nodeKey("a1"))).toBeGreaterThan(0)
  })
})
