/** Whole actor nodes in the test's own process, on real servers, and askers that the test may be hard on. */
import { randomBytes } from "node:crypto"
import { openDatabase } from "../../../actors/tables/database.ts"
import { KvLeases } from "../../../actors/engine/leases.ts"
import type { Reactions } from "../../../actors/reactions/reaction.ts"
import type { NodeKind } from "../../../actors/process/kinds.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { type Answer, Asker, type BusTransport } from "../../../schemas/runtime/bus/asker.ts"
import type { Ask } from "../../../schemas/bus/frames.ts"
import { encodeHead, packReplies, unpackReplies } from "../../../schemas/bus/frames.ts"
import { LeaseView } from "../../../schemas/runtime/bus/lease-view.ts"
import type { BusRole } from "../../../schemas/bus/roles.ts"
import { transportOver } from "../../../schemas/runtime/bus/transport.ts"
import { readConfig } from "../../../schemas/config.ts"
import { SHARD_COUNT } from "../../../schemas/subjects.ts"
import { waitFor } from "../../harness/index.ts"
import { openScope } from "../../support/scope.ts"
import { type EngineBus, startBus } from "./bus.ts"
import { startNode } from "./started-node.ts"

/** More than any node lives for. */
const PATIENCE_MS = 600_000

type Question = Pick<Ask, "kind" | "actor" | "op" | "input"> & Partial<Ask>

export interface Client {
  readonly view: LeaseView
  readonly asker: Asker
  readonly ask: (question: Question, patienceMs?: number) => Promise<Answer>
}

export interface RunningNode {
  /** Drains and gives back every shard. */
  readonly stop: () => Promise<void>
}

export interface TestCluster {
  readonly bus: EngineBus
  /** One more node. */
  readonly node: (
    kinds: ReadonlyArray<NodeKind>,
    limits?: Readonly<Record<string, number>>,
    reactions?: ReadonlyArray<Reactions>,
    env?: Readonly<Record<string, string>>
  ) => Promise<RunningNode>
  readonly client: (role: BusRole, wrap?: (transport: BusTransport) => BusTransport) => Promise<Client>
  /** Resolves when every shard has an owner, and there are so many of them. */
  readonly settled: (view: LeaseView, owners: number) => Promise<unknown>
  readonly stop: () => Promise<void>
}

export const startCluster = async (): Promise<TestCluster> => {
  const bus = await startBus()
  const ends: Array<() => unknown> = []

  const node: TestCluster["node"] = async (kinds, limits = {}, reactions = [], env = {}) => {
    const nats = await bus.connection()
    const read = readConfig({
      HUB_ENV: "development",
      HUB_NATS_URL: bus.servers.nats.url,
      HUB_DATABASE_URL: bus.servers.postgres.url,
      HUB_DATA: bus.servers.folder,
      HUB_LIMITS: JSON.stringify(limits),
      ...env
    })
    if (!read.ok) throw new Error(read.problem)
    const { config } = read
    const db = openDatabase(bus.servers.postgres.url)
    ends.push(() => db.destroy())
    const stop = await startNode({ nats, manager: bus.manager, db, config, kinds, reactions })
    ends.push(stop)
    return { stop }
  }

  const client: TestCluster["client"] = async (role, wrap = (transport) => transport) => {
    const nats = await bus.connection()
    const view = new LeaseView()
    const scope = openScope()
    ends.push(scope.close)
    await scope.make(KvLeases.watching(nats, view))
    const name = randomBytes(6).toString("hex")
    const asker = new Asker(
      machineClock,
      wrap(transportOver(nats, () => undefined)),
      view,
      { role, name },
      { maxInFlight: 20_000, maxFrameBytes: 700_000 }
    )
    ends.push(() => asker.close())
    return {
      view,
      asker,
      ask: (question, patienceMs = PATIENCE_MS) =>
        asker.ask({ id: randomBytes(12).toString("hex"), deadline: Date.now() + patienceMs, ...question })
    }
  }

  const settled: TestCluster["settled"] = (view, owners) =>
    waitFor(
      () => {
        const found = new Set(Array.from({ length: SHARD_COUNT }, (_, shard) => view.ownerOf(shard)))
        return found.size === owners && !found.has(null)
      },
      { describe: `${owners} owners of all shards` }
    )

  const stop = async () => {
    for (const end of ends.toReversed()) await end()
    await bus.stop()
  }
  return { bus, node, client, settled, stop }
}

export const dataOf = <T>({ head, body }: Answer): T => {
  if (head.refused !== undefined) throw new Error(`refused: ${JSON.stringify(head.refused)}`)
  return JSON.parse(Buffer.from(body).toString("utf8")) as T
}

/** The first reply to each ask is lost on its way. */
export const losingFirstReplies = (transport: BusTransport): BusTransport => {
  const lost = new Set<number>()
  return {
    publish: (subject, payload, reply) => transport.publish(subject, payload, reply),
    subscribe: (subject, receive) =>
      transport.subscribe(subject, (message) => {
        if (message.noResponders) return receive(message)
        const replies = unpackReplies(message.payload)
        const arriving = replies.filter(({ number }) => lost.has(number))
        for (const { number } of replies) lost.add(number)
        if (arriving.length > 0)
          receive({
            ...message,
            payload: packReplies(arriving.map((part) => ({ ...part, head: encodeHead(part.head) })))
          })
      })
  }
}
