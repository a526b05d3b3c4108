/**
 * Placement by itself, over a store whose writes and preparations fail: no shard is left with a living owner that does
 * not serve it, and what is done in the name of a session ends with it.
 */
import { describe, expect, test } from "vitest"
import { Effect, type Scope } from "effect"
import { Placement, SILENT_AFTER_MS } from "../../../actors/engine/placement.ts"
import type { LeaseStore, Ping, Unwritten } from "../../../actors/engine/ports.ts"
import { LeaseView, nodeKey, shardKey } from "../../../schemas/runtime/bus/lease-view.ts"
import { SHARD_COUNT } from "../../../schemas/subjects.ts"
import { openScope } from "../../support/scope.ts"

const TICK_MS = 250

class World {
  now = 0
  readonly scope = openScope()
  /** Sessions whose subjects are listened on. */
  readonly listened = new Set<string>()
  readonly view = new LeaseView()
  private readonly revisions = new Map<string, number>()
  private last = 0
  /** Whether a write is stored and not acknowledged, or never arrives; `null`: neither. */
  fault: (key: string) => "unacknowledged" | "lost" | null = () => null
  prepares = true
  preparing: Effect.Effect<void> = Effect.void
  pinging: Effect.Effect<Ping> = Effect.succeed("pong")
  readonly underWay = { pings: 0, preparations: 0 }
  /** What this side last heard of a key's revision, where that is old; `null`: what the server has. */
  staleRevision: (key: string) => number | null = () => null

  readonly store: LeaseStore = {
    put: (key, value, expected) => this.write(key, value, expected),
    remove: (key, expected) => this.write(key, null, expected),
    revision: (key) => this.staleRevision(key) ?? this.revisions.get(key) ?? 0,
    refresh: () => Effect.sync(() => void (this.staleRevision = () => null)),
    ping: () =>
      this.counted(
        "pings",
        Effect.suspend(() => this.pinging)
      )
  }

  private write(key: string, value: string | null, expected: number): Effect.Effect<number, Unwritten> {
    return Effect.suspend((): Effect.Effect<number, Unwritten> => {
      const fault = this.fault(key)
      if (fault === "lost") return Effect.fail("unknown")
      if ((this.revisions.get(key) ?? 0) !== expected) return Effect.fail("conflict")
      const revision = ++this.last
      this.revisions.set(key, revision)
      this.view.apply(key, value)
      return fault === null ? Effect.succeed(revision) : Effect.fail("unknown")
    })
  }

  private counted<A, E>(what: "pings" | "preparations", act: Effect.Effect<A, E>): Effect.Effect<A, E> {
    const begun = Effect.sync(() => void this.underWay[what]++)
    const ended = Effect.sync(() => void this.underWay[what]--)
    return Effect.acquireUseRelease(
      begun,
      () => act,
      () => ended
    )
  }

  private listening(session: string): Effect.Effect<void, never, Scope.Scope> {
    const began = Effect.sync(() => void this.listened.add(session))
    return Effect.acquireRelease(began, () => Effect.sync(() => void this.listened.delete(session)))
  }

  /** The names of nodes that were told of the end of another. */
  readonly peersEnded: Array<string> = []

  node(name: string): Placement {
    let sessions = 0
    const placement = Placement.make({
      store: this.store,
      view: this.view,
      now: () => this.now,
      newSession: () => `${name}${++sessions}`,
      describe: () => "",
      ttlSeconds: 3,
      events: {
        listen: (session) => this.listening(session),
        prepare: this.counted(
          "preparations",
          Effect.suspend(() => (this.prepares ? this.preparing : Effect.fail("the stream has no leader")))
        ),
        drain: () => Effect.void,
        served: () => undefined,
        dropped: () => undefined,
        peerEnded: () => void this.peersEnded.push(name)
      }
    })
    return this.scope.makeSync(placement)
  }

  /** Beats of all nodes, so many. */
  async pass(nodes: ReadonlyArray<Placement>, ticks: number): Promise<void> {
    for (let tick = 0; tick < ticks; tick++) {
      this.now += TICK_MS
      for (const node of nodes) await Effect.runPromise(node.tick)
      // What a tick began of claims and returns goes on by itself.
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
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

describe("what lasts as long as a scope", () => {
  test("a session's subjects are listened on until it is lost, and the next one's from then on", async () => {
    const world = new World()
    const node = world.node("a")
    await world.pass([node], 3)
    expect([...world.listened]).toEqual(["a1"])
    world.view.apply(nodeKey("a1"), null)
    expect([node.session, shards.some((shard) => node.serves(shard))]).toEqual([null, false])
    await world.pass([node], 3)
    expect([...world.listened]).toEqual(["a2"])
    expect(served([node])).toEqual(eachOnce)
  })

  test("a preparation that hangs ends with its session, and one ping of a peer is under way at a time", async () => {
    const world = new World()
    const [node, peer] = [world.node("a"), world.node("b")]
    world.preparing = Effect.never
    world.pinging = Effect.never
    await world.pass([node, peer], 4)
    expect([served([node]).includes(1), world.underWay]).toEqual([false, { pings: 2, preparations: SHARD_COUNT }])
    for (const session of ["a1", "b1"]) world.view.apply(nodeKey(session), null)
    expect(world.underWay).toEqual({ pings: 0, preparations: 0 })
    world.preparing = Effect.void
    await world.pass([node, peer], 10)
    expect(served([node, peer])).toEqual(eachOnce)
  })

  test("a node is told that another's session has ended, and of no end of its own", async () => {
    const world = new World()
    const nodes = [world.node("a"), world.node("b")]
    await world.pass(nodes, 3)
    world.view.apply(nodeKey("b1"), null)
    expect(world.peersEnded).toEqual(["a"])
  })

  test("a node whose scope is closed listens on nothing, and serves and claims nothing any more", async () => {
    const world = new World()
    const node = world.node("a")
    await world.pass([node], 3)
    await world.scope.close()
    expect([...world.listened]).toEqual([])
    expect(shards.some((shard) => node.serves(shard))).toBe(false)
    world.view.apply(shardKey(3), null)
    await world.pass([node], 3)
    expect([node.session, world.view.ownerOf(3)]).toEqual([null, null])
  })
})

describe("a peer whose line is gone", () => {
  const suspected = async (beats: boolean): Promise<boolean> => {
    const world = new World()
    const [first, other] = [world.node("a"), world.node("b")]
    await world.pass([first, other], 10)
    world.pinging = Effect.succeed("gone")
    world.staleRevision = (key) => (key === nodeKey("b1") ? 0 : null)
    if (beats) {
      // It is heard again, before it is asked for the second time.
      let pings = 0
      world.pinging = Effect.sync(() => (pings++ === 0 ? "gone" : "pong"))
    }
    first.suspect("b1")
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    return world.view.isLive("b1")
  }

  test("is ended at once, also where its last beat was not read yet", async () => {
    expect(await suspected(false)).toBe(false)
  })

  test("lives where it is heard again", async () => {
    expect(await suspected(true)).toBe(true)
  })
})

test("a peer that is silent, and has beaten since it was read, lives", async () => {
  const world = new World()
  const [first, other] = [world.node("a"), world.node("b")]
  await world.pass([first, other], 10)
  world.pinging = Effect.succeed("silent")
  first.suspect("b1")
  world.now += SILENT_AFTER_MS + 1
  world.staleRevision = (key) => (key === nodeKey("b1") ? 0 : null)
  const beating = Effect.runPromise(first.tick)
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  await beating
  first.suspect("b1")
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(world.view.isLive("b1")).toBe(true)
})
