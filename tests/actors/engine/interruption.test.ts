/**
 * What is under way on a shard that its node loses: given up at once before its append, carried to its end after it.
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { EngineParts } from "../../../actors/engine/activation.ts"
import { write } from "../../../actors/engine/definition.ts"
import type { AppendResult, EventShape } from "../../../actors/log/commit.ts"
import { openDatabase } from "../../../actors/tables/database.ts"
import { JetStreamLog } from "../../../actors/log/event-log.ts"
import type { ActorOf } from "../../../actors/kit/kind.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { shardOf, subjects } from "../../../schemas/subjects.ts"
import { freeze, waitFor } from "../../harness/index.ts"
import { hostWith } from "./alone.ts"
import { dataOf, startCluster, type TestCluster } from "./cluster.ts"
import { NODE_HEADER } from "./errand.ts"
import { ModelLog, partsOver } from "./simulation.ts"

const ID = "one"

interface Held {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly node: string
  given: boolean
}

/** Answers nobody until it is told to; sees who gives up. */
class Provider {
  readonly held: Array<Held> = []
  private readonly server: Server
  url = ""

  constructor() {
    this.server = createServer((request, response) => {
      const one: Held = { request, response, node: String(request.headers[NODE_HEADER]), given: false }
      this.held.push(one)
      response.on("close", () => (one.given = !response.writableFinished))
    })
  }

  async start(): Promise<void> {
    this.server.listen(0, "127.0.0.1")
    await once(this.server, "listening")
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`
  }

  of(node: ChildProcess): Held | undefined {
    return this.held.find(({ node: pid }) => pid === String(node.pid))
  }

  stop(): void {
    this.server.closeAllConnections()
    this.server.close()
  }
}

describe("a node that is frozen in the middle of a prepare", () => {
  const provider = new Provider()
  let cluster: TestCluster
  const children: Array<ChildProcess> = []
  beforeAll(async () => {
    await provider.start()
    cluster = await startCluster()
  })
  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL")
    provider.stop()
    await cluster?.stop()
  })

  const node = async (): Promise<ChildProcess> => {
    const { nats, postgres, folder } = cluster.bus.servers
    const args = [nats.url, postgres.url, folder, provider.url]
    const child = fork(join(import.meta.dirname, "errand-node.ts"), args, { execArgv: ["--no-warnings"] })
    children.push(child)
    await once(child, "message")
    return child
  }

  test("gives up what it waited for as soon as it thaws, and another has done it once", async () => {
    const first = await node()
    const { view, ask } = await cluster.client("actors")
    await cluster.settled(view, 1)
    const answer = ask({ kind: "errand", actor: ID, op: "errand.run", input: null })
    const asked = await waitFor(() => provider.of(first), { describe: "the first node's call" })
    freeze(first.pid ?? 0)
    const second = await node()
    const again = await waitFor(() => provider.of(second), { describe: "the second node's call" })
    again.response.end("by the second")
    expect(dataOf(await answer)).toEqual(["by the second"])
    expect(asked.given).toBe(false)
    first.kill("SIGCONT")
    await waitFor(() => asked.given, { describe: "the first node's call to be given up" })
    const log = new JetStreamLog(machineClock, cluster.bus.nats, { batchMax: 1, queueMax: 1, replicated: false })
    const { entries } = await log.read(subjects.event("errand", ID), 0, 10)
    expect(entries.map(({ commit }) => commit.events)).toEqual([[{ type: "errand.done", v: 1, said: "by the second" }]])
  })
})

describe("an actor whose node is killed", () => {
  let cluster: TestCluster
  const children: Array<ChildProcess> = []
  const provider = createServer((_request, response) => response.end("done"))
  beforeAll(async () => {
    provider.listen(0, "127.0.0.1")
    await once(provider, "listening")
    cluster = await startCluster()
  })
  afterAll(async () => {
    for (const child of children) child.kill("SIGKILL")
    provider.close()
    await cluster?.stop()
  })

  const node = async (): Promise<ChildProcess> => {
    const { nats, postgres, folder } = cluster.bus.servers
    const { port } = provider.address() as AddressInfo
    const args = [nats.url, postgres.url, folder, `http://127.0.0.1:${port}/`]
    const child = fork(join(import.meta.dirname, "errand-node.ts"), args, { execArgv: ["--no-warnings"] })
    children.push(child)
    await once(child, "message")
    return child
  }

  test("goes on from its snapshot and the commits behind it, and repeats no command", async () => {
    const db = openDatabase(cluster.bus.servers.postgres.url)
    const first = await node()
    const { ask } = await cluster.client("actors")
    const run = async (command: string) =>
      dataOf(await ask({ kind: "errand", actor: ID, op: "errand.run", input: null, command })) as ReadonlyArray<string>
    const runs = LIMITS.service.snapshot_every_commits + 3
    for (let index = 0; index < runs; index++) await run(`c${index}`)
    const row = await waitFor(() => db.selectFrom("snapshots").select("state").executeTakeFirst(), {
      describe: "its snapshot"
    })
    // So that it shows where the next node begins.
    const marked = JSON.stringify((row.state as ReadonlyArray<string>).map(() => "of the snapshot"))
    await db.updateTable("snapshots").set({ state: marked }).execute()
    first.kill("SIGKILL")
    await node()
    const said = await run(`c${runs - 1}`)
    expect([said.length, said.slice(0, runs - 3).every((one) => one === "of the snapshot")]).toEqual([runs, true])
    expect(said.slice(runs - 3)).toEqual(["done", "done", "done"])
    expect(await run("c0")).toHaveLength(runs)
    expect(await run("new")).toHaveLength(runs + 1)
    const log = new JetStreamLog(machineClock, cluster.bus.nats, { batchMax: 1, queueMax: 1, replicated: false })
    expect((await log.read(subjects.event("errand", ID), 0, 100)).entries).toHaveLength(runs + 1)
    await db.destroy()
  })
})

describe("a shard that is lost", () => {
  interface Noted extends EventShape {
    readonly text: string
  }
  const world = () => {
    const log = new ModelLog()
    const told = { begun: 0, givenUp: 0 }
    const append = Promise.withResolvers<void>()
    const appending = Promise.withResolvers<void>()
    const gathered = Promise.withResolvers<void>()
    const serving = { here: true }
    const definition = {
      kind: "note",
      initial: 0,
      events: { "note.made": 1 },
      evolve: (state: number) => state + 1,
      operations: {
        "note.wait": write<ActorOf<number, Noted>, null, null, null, unknown, never>({
          prepare: () => {
            told.begun++
            return Effect.onInterrupt(Effect.never, () => Effect.sync(() => void told.givenUp++))
          },
          decide: () => ({ events: [] }),
          answer: () => null
        }),
        "note.gather": write<ActorOf<number, Noted>, null, number, null, unknown, never>({
          prepare: () =>
            Effect.sync(() => {
              told.begun++
            }).pipe(Effect.andThen(Effect.promise(() => gathered.promise)), Effect.as(null)),
          decide: () => ({ events: [{ type: "note.made", v: 1, text: "made" }] }),
          answer: (state) => state
        }),
        "note.make": write<ActorOf<number, Noted>, null, number, null, unknown, never>({
          decide: () => ({ events: [{ type: "note.made", v: 1, text: "made" }] }),
          answer: (state) => state
        })
      }
    }
    const over = partsOver(log)
    const parts: EngineParts = {
      ...over,
      log: {
        ...over.log,
        append: async (group, holds = () => true): Promise<AppendResult> => {
          appending.resolve()
          await append.promise
          return holds() ? log.append(group) : { ok: false, reason: "lost" }
        }
      },
      serves: (id) => serving.here && id === ID,
      now: Date.now
    }
    const host = hostWith([definition], parts)
    const submit = (op: keyof typeof definition.operations, deadline = Date.now() + 60_000) =>
      host
        .activation("note", ID)
        ?.submit(
          { id: `${op}-${deadline}`, op, input: null, by: undefined, deadline, trace: undefined },
          definition.operations[op] as never
        )
    const entries = () => log.subjects.get(subjects.event("note", ID)) ?? []
    return { host, submit, told, append, appending, gathered, serving, entries }
  }

  test("takes with it what has not reached its append, and all that waits behind it", async () => {
    const { host, submit, told, entries } = world()
    const outcomes = [submit("note.wait"), submit("note.make")]
    await waitFor(() => told.begun > 0, { describe: "the first to begin" })
    host.drop(shardOf(ID))
    expect(await Promise.all(outcomes)).toEqual([{ elsewhere: true }, { elsewhere: true }])
    expect([told.givenUp, entries(), host.resident]).toEqual([1, [], 0])
  })

  test("leaves what is past its append to end, with its outcome", async () => {
    const { host, submit, append, appending, entries } = world()
    const made = submit("note.make")
    await appending.promise
    host.drop(shardOf(ID))
    append.resolve()
    expect(await made).toEqual({ data: 1 })
    expect(entries()).toHaveLength(1)
  })

  test("writes nothing while the node does not know that it serves it, and goes on when it does", async () => {
    const { submit, told, append, gathered, serving, entries } = world()
    append.resolve()
    const outcomes = [submit("note.gather"), submit("note.make")]
    await waitFor(() => told.begun > 0, { describe: "the first to begin" })
    serving.here = false
    gathered.resolve()
    expect(await Promise.all(outcomes)).toEqual([{ elsewhere: true }, { elsewhere: true }])
    expect(entries()).toEqual([])
    serving.here = true
    expect(await submit("note.make", Date.now() + 90_000)).toEqual({ data: 1 })
  })

  test("is drained first where it is given back: what ends by itself is not cut off", async () => {
    const { host, submit, append, appending } = world()
    const made = submit("note.make")
    await appending.promise
    const drained = Effect.runPromise(host.drain(shardOf(ID)))
    append.resolve()
    await drained
    expect(await made).toEqual({ data: 1 })
  })

  test("a prepare that hangs is given up at the command's deadline, and the mailbox goes on", async () => {
    const { submit, told, append } = world()
    append.resolve()
    const outcomes = [submit("note.wait", Date.now() + 50), submit("note.make")]
    expect(await Promise.all(outcomes)).toMatchObject([{ refused: { code: "unavailable" } }, { data: 1 }])
    expect(told.givenUp).toBe(1)
  })
})
