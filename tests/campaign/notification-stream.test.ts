/**
 * Streams of notifications while one thing after another behind them dies: actor nodes (the projections' owner among
 * them), an edge, the bus, Postgres. Whatever dies, each reader gets every id of the agent's log once and in order.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { shardOf } from "../../schemas/subjects.ts"
import { waitFor } from "../harness/index.ts"
import { AgentClient } from "../support/client.ts"
import { EventFollower } from "../support/events.ts"
import { newIdentity } from "../support/identity.ts"
import { register } from "../support/register.ts"
import { recoveryBody } from "../support/rotation.ts"
import { logOf, PRODUCT_DEADLINE, type TestService, testService } from "../support/service.ts"
import { isSettled, sessionOf } from "../chaos/verdict.ts"

const ACTORS = 3
const AGENTS = 4
/** Behind which the projections' owner is known: they run where this id lives (actors/process/node.ts). */
const PROJECTOR = "projector"
/** Notifications of each writer before and behind each fault. */
const SOME = 5
const WRITER_PAUSE_MS = 40

const brokenConnection = (cause: unknown): null => {
  if (cause instanceof Error && "code" in cause && (cause.code === "ECONNRESET" || cause.code === "EPIPE")) return null
  throw cause
}

class Writer {
  readonly client: AgentClient
  written = 0
  #stopped = false
  #done: Promise<void> = Promise.resolve()

  constructor(client: AgentClient) {
    this.client = client
  }

  start(): void {
    this.#done = this.#run()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#done
  }

  /** Each fresh recovery key is one notification. */
  async #run(): Promise<void> {
    while (!this.#stopped) {
      const body = recoveryBody(this.client.hubId, this.client.identity.publicKey, newIdentity())
      // A connection that broke says nothing of the write: the next one has another key, and the log tells whether this
      // one was made.
      const answer = await this.client
        .retrying("PUT", "/api/v1/me/recovery", { body, idempotencyKey: body.recovery_public_key })
        .catch(brokenConnection)
      if (answer === null) continue
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
      this.written++
      await new Promise((resolve) => setTimeout(resolve, WRITER_PAUSE_MS))
    }
  }
}

let service: TestService
const writers: Array<Writer> = []
const followers: Array<EventFollower> = []

beforeAll(async () => {
  service = await testService({
    processes: true,
    edges: 2,
    actors: ACTORS,
    limits: { ...PRODUCT_DEADLINE, "notifications.heartbeat_ms": 1000 }
  })
  await waitFor(() => isSettled(service.view, ACTORS), { describe: "three actor nodes with shards" })
  for (let index = 0; index < AGENTS; index++) {
    let turn = index
    const client = new AgentClient({ edge: () => service.edges[turn++ % 2] ?? "" })
    await register(client, { edge: service.edges[0] ?? "" })
    writers.push(new Writer(client))
    // One that begins at each edge.
    followers.push(new EventFollower(client, service.edges), new EventFollower(client, service.edges.toReversed()))
  }
  for (const writer of writers) writer.start()
})
afterAll(async () => {
  await Promise.all(followers.map((follower) => follower.stop()))
  await Promise.all(writers.map((writer) => writer.stop().catch(() => undefined)))
  await service?.stop()
})

const followersOf = (index: number): ReadonlyArray<EventFollower> => followers.slice(index * 2, index * 2 + 2)

/** Every writer writes on, and every reader hears of it. */
const goesOn = async (after: string): Promise<void> => {
  const written = writers.map((writer) => writer.written)
  const heard = followers.map((follower) => follower.ids.length)
  await waitFor(() => writers.every((writer, index) => writer.written >= (written[index] ?? 0) + SOME), {
    describe: `writes ${after}`
  })
  await waitFor(() => followers.every((follower, index) => follower.ids.length >= (heard[index] ?? 0) + SOME), {
    describe: `events ${after}`
  })
}

const FAULTS: ReadonlyArray<readonly [string, () => Promise<void>]> = [
  [
    "the death of the projections' owner",
    async () => {
      const owner = service.view.view.ownerOf(shardOf(PROJECTOR))
      let victim = null
      for (const actor of service.system.actors)
        if ((await sessionOf(service.view, actor.pid)) === owner) victim = actor
      if (victim === null) throw new Error("nobody owns the projections")
      await victim.kill()
      await goesOn("without the projections' owner")
      await victim.restart()
    }
  ],
  [
    "the death of another actor node",
    async () => {
      const [victim] = service.system.actors
      await victim?.kill()
      await goesOn("without an actor node")
      await victim?.restart()
    }
  ],
  [
    "the death of an edge",
    async () => {
      const [victim] = service.system.edges
      await victim?.kill()
      await victim?.restart()
    }
  ],
  [
    "an edge that is stopped",
    async () => {
      const victim = service.system.edges[1]
      if (victim?.pid == null) throw new Error("the edge does not run")
      const readers = followers.map((follower) => follower.reader).filter((reader) => reader !== null)
      process.kill(victim.pid, "SIGTERM")
      await waitFor(() => readers.some((reader) => reader.ended && reader.comments.at(-1) === "come again"), {
        describe: "a stream that was ended politely"
      })
      await waitFor(() => victim.pid === null, { describe: "the end of the edge" })
      await victim.restart()
    }
  ],
  [
    "the death of the bus",
    async () => {
      await service.system.nats.kill()
      await service.system.nats.restart()
    }
  ],
  [
    "the death of Postgres",
    async () => {
      await service.system.postgres.kill()
      await service.system.postgres.restart()
    }
  ]
]

const idsInLog = async (agent: string): Promise<ReadonlyArray<number>> =>
  (await logOf(service.view, "agent", agent)).flatMap(({ commit }) =>
    commit.events.flatMap((event) =>
      "notification" in event && event.type === "agent.notified" ? [event.notification as number] : []
    )
  )

const exact = async (): Promise<void> => {
  for (const [index, writer] of writers.entries()) {
    // Before the log is read: the writers go on, and readers hear of what is written after that.
    const heard = followersOf(index).map((follower) => ({ ids: [...follower.ids], refused: [...follower.refused] }))
    const logged = await idsInLog(writer.client.hubId)
    expect(logged, "numbers in the order of the log").toEqual(logged.toSorted((a, b) => a - b))
    for (const follower of heard) {
      expect(follower.ids).toEqual(logged.slice(0, follower.ids.length))
      expect(
        follower.refused.filter((status) => status !== 503),
        "refusals that no retry mends"
      ).toEqual([])
    }
  }
}

test.each(FAULTS)("every id once and in order through %s", async (name, fault) => {
  await goesOn(`before ${name}`)
  await fault()
  await waitFor(() => isSettled(service.view, ACTORS), { describe: "all actor nodes with shards" })
  await goesOn(`after ${name}`)
  await exact()
})

test("and at the end nothing is missing", async () => {
  await Promise.all(writers.map((writer) => writer.stop()))
  for (const [index, writer] of writers.entries()) {
    const logged = await idsInLog(writer.client.hubId)
    expect(logged.length).toBeGreaterThanOrEqual(writer.written)
    for (const follower of followersOf(index))
      await waitFor(() => follower.ids.length >= logged.length, { describe: "the last event" })
  }
  await exact()
  console.log(
    `${followers.length} readers, ${followers.reduce((sum, { ids }) => sum + ids.length, 0)} events, ` +
      `${followers.reduce((sum, { connections }) => sum + connections, 0)} connections`
  )
})
