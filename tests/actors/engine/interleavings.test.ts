/**
 * The engine's protocol under every order of events that fast-check can think of: crashes, restarts under the same
 * name, freezes longer than the lease, slow watches, lost answers, two owners at once.
 */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { SHARD_COUNT, shardOf, subjects } from "../../../schemas/subjects.ts"
import { settle, type SimNode, World } from "./simulation.ts"

const NAMES = ["a", "b", "c"] as const
const ACTORS = ["one", "two", "three"] as const
const BEAT_MS = 250

type Step =
  | { readonly type: "pass"; readonly ms: number }
  | { readonly type: "tick" | "deliver" | "freeze" | "thaw" | "crash" | "restart" | "lose"; readonly node: number }
  | { readonly type: "watch"; readonly node: number; readonly count: number }
  | { readonly type: "ask"; readonly node: number; readonly actor: number; readonly repeat: boolean }

const node = fc.nat({ max: NAMES.length - 1 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("pass" as const), ms: fc.constantFrom(50, 250, 1000, 3500) }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant("tick" as const), node }) },
  { weight: 8, arbitrary: fc.record({ type: fc.constant("deliver" as const), node }) },
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constant("watch" as const), node, count: fc.constantFrom(1, 20, 1000) })
  },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constantFrom("freeze" as const, "crash" as const, "lose" as const), node })
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom("thaw" as const, "restart" as const), node }) },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant("ask" as const),
      node,
      actor: fc.nat({ max: ACTORS.length - 1 }),
      repeat: fc.boolean()
    })
  }
)

interface Client {
  readonly id: string
  readonly actor: string
  acknowledged: boolean
}

class Cluster {
  readonly world = new World()
  readonly clients: Array<Client> = []
  readonly live: Array<SimNode>

  constructor() {
    this.live = NAMES.map((name) => this.world.node(name))
  }

  async run(one: Step): Promise<void> {
    if (one.type === "pass") this.world.pass(one.ms)
    else if (one.type === "ask") this.ask(one.node, one.actor, one.repeat)
    else await this.act(one)
    await settle()
  }

  private async act(one: Exclude<Step, { type: "pass" | "ask" }>): Promise<void> {
    const target = this.live[one.node] as SimNode
    switch (one.type) {
      case "tick":
        if (target.running) target.tick()
        return
      case "deliver":
        return target.deliver()
      case "watch":
        return target.deliverWatch(one.count)
      case "freeze":
        target.frozen = true
        return
      case "thaw":
        target.frozen = false
        return
      case "lose":
        target.losesAppendAnswers = 2
        return
      case "crash":
        target.crashed = true
        return
      case "restart":
        // The same name, another incarnation.
        target.crashed = true
        this.live[one.node] = this.world.node(NAMES[one.node] ?? "a")
    }
  }

  private ask(at: number, actor: number, repeat: boolean): void {
    const target = this.live[at] as SimNode
    if (!target.running) return
    const open = this.clients.find((client) => !client.acknowledged && client.actor === ACTORS[actor])
    const client =
      repeat && open !== undefined
        ? open
        : { id: `c${this.clients.length}`, actor: ACTORS[actor] ?? "one", acknowledged: false }
    if (client !== open) this.clients.push(client)
    void target.ask(client.id, client.actor, client.id).then((outcome) => {
      if (outcome !== "not owner" && "data" in outcome) client.acknowledged = true
    })
  }

  tokensOf(actor: string): ReadonlyArray<string> {
    const entries = this.world.log.subjects.get(subjects.event("tokens", actor)) ?? []
    return entries.flatMap((entry) => entry.commit.events.map((event) => (event as unknown as { token: string }).token))
  }

  /** Everything thawed, everything delivered, time passing evenly. */
  async heal(): Promise<void> {
    for (let index = 0; index < this.live.length; index++) {
      const one = this.live[index] as SimNode
      one.frozen = false
      one.losesAppendAnswers = 0
      if (one.crashed) this.live[index] = this.world.node(NAMES[index] ?? "a")
    }
    for (let beat = 0; beat < 40; beat++) {
      this.world.pass(BEAT_MS)
      for (const one of this.live) one.tick()
      for (let round = 0; round < 6; round++) {
        await settle()
        for (const one of this.live) {
          one.deliver()
          one.deliverWatch(1000)
        }
      }
      await settle()
    }
  }
}

describe("engine protocol over interleavings", () => {
  test("an acknowledged command is in the log once, no command is there twice, and the cluster heals", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 150 }), async (steps) => {
        const cluster = new Cluster()
        await cluster.heal()
        for (const one of steps) await cluster.run(one)
        for (const actor of ACTORS) {
          const tokens = cluster.tokensOf(actor)
          expect(new Set(tokens).size).toBe(tokens.length)
        }
        for (const client of cluster.clients.filter((one) => one.acknowledged)) {
          expect(cluster.tokensOf(client.actor)).toContain(client.id)
        }
        await cluster.heal()
        for (let shard = 0; shard < SHARD_COUNT; shard++) {
          expect(
            cluster.live.filter((one) => one.placement.serves(shard)),
            `owners of shard ${shard}`
          ).toHaveLength(1)
        }
        await everyClientGetsThrough(cluster)
      }),
      { numRuns: 150 }
    )
  })

  test("two nodes that both believe in a shard never both commit on the same state", async () => {
    const cluster = new Cluster()
    await cluster.heal()
    const owner = cluster.live.find((one) => one.placement.serves(shardOf("one"))) as SimNode
    void owner.ask("c0", "one", "c0")
    await settle()
    // The owner's append is applied, but it freezes before it hears so; its lease runs out, another takes over.
    owner.frozen = true
    for (let beat = 0; beat < 20; beat++) {
      cluster.world.pass(BEAT_MS)
      for (const one of cluster.live) if (one.running) one.tick()
      for (let round = 0; round < 4; round++) {
        await settle()
        for (const one of cluster.live) {
          one.deliver()
          one.deliverWatch(1000)
        }
      }
    }
    const heir = cluster.live.find((one) => one.running && one.placement.serves(shardOf("one"))) as SimNode
    expect(heir).toBeDefined()
    owner.frozen = false
    // Thawed, before it has heard anything: it must not answer for the shard.
    expect(owner.placement.serves(shardOf("one"))).toBe(false)
    const second = heir.ask("c0", "one", "c0")
    for (let round = 0; round < 6; round++) {
      await settle()
      heir.deliver()
    }
    expect(await second).toEqual({ data: { size: 1 } })
    expect(cluster.tokensOf("one")).toEqual(["c0"])
  })
})

const everyClientGetsThrough = async (cluster: Cluster): Promise<void> => {
  for (const client of cluster.clients.filter((one) => !one.acknowledged)) {
    const owner = cluster.live.find((one) => one.placement.serves(shardOf(client.actor))) as SimNode
    const asked = owner.ask(client.id, client.actor, client.id)
    const heard: Array<unknown> = []
    void asked.then((answer) => heard.push(answer))
    for (let round = 0; round < 20 && heard.length === 0; round++) {
      await settle()
      owner.deliver()
      await settle()
    }
    expect(heard[0], "the first answer, or this one").toHaveProperty("data")
    expect(cluster.tokensOf(client.actor).filter((token) => token === client.id)).toHaveLength(1)
  }
}
