/** One actor node, wired: the engine around a connection, the actor kinds, projections and timers of its shards. */
import { randomBytes } from "node:crypto"
import type { JetStreamManager } from "@nats-io/jetstream"
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect, Exit, Scope } from "effect"
import type { Kysely } from "kysely"
import { Asker } from "../schemas/bus/asker.ts"
import { LeaseView } from "../schemas/bus/lease-view.ts"
import { transportOver } from "../schemas/bus/transport.ts"
import type { HubConfig } from "../schemas/config.ts"
import { shardOf, streams, subjects } from "../schemas/subjects.ts"
import type { Tracing } from "../schemas/trace/tracing.ts"
import type { Bank } from "./registration/questions/bank/bank.ts"
import { KINDS } from "./actors.ts"
import type { Database } from "./database.ts"
import { JetStreamLog } from "./engine/event-log.ts"
import { ActorHost } from "./engine/host.ts"
import { KvLeases } from "./engine/leases.ts"
import { Node, REFRESH } from "./engine/node.ts"
import { NonceLog } from "./engine/nonces.ts"
import { BEAT_MS, Placement } from "./engine/placement.ts"
import { Watermark } from "./engine/read-models.ts"
import { PostgresSnapshots } from "./engine/snapshots.ts"
import { NONCE_MARGIN_SECONDS, SESSION_TTL_SECONDS } from "./engine/streams.ts"
import { LOOK_EVERY_MS, StorageWatch } from "./engine/storage.ts"
import { ScheduledTimers } from "./engine/timers.ts"
import type { Kind, KindParts } from "./kind.ts"
import { commitMetrics, nodeMetrics, operationCalls } from "./metrics/node.ts"
import type { ProcessMetrics } from "./metrics/process.ts"
import { projectorMetrics } from "./metrics/projectors.ts"
import { seenProjection } from "./projections/agents.ts"
import { mainProjection } from "./projections/main.ts"
import { newsOf } from "./projections/news.ts"
import type { Projection } from "./projections/projection.ts"
import { Projector, type ProjectorParts } from "./projections/projector.ts"
import { rebuild, type RebuildParts } from "./projections/rebuild.ts"
import { type ActorServices, actorServices } from "./services.ts"

/** Whoever owns this actor id's shard runs the projections: one node at a time, as long as leases hold. */
const PROJECTOR = "projector"
const SWEEP_MS = 5000
const REFRESH_DEADLINE_MS = 1000

/** Messages a page of a rebuild in this process: what it takes to fold one, the actors wait. */
const RENEWAL_PAGE = 1000

const complain = (at: string) => (error: unknown) => {
  console.error(
    JSON.stringify({
      level: "error",
      at,
      error: String(error),
      stack: error instanceof Error ? error.stack : undefined
    })
  )
}

/** A release whose projection makes other rows brings them itself, once, while the old ones are served. */
const renewed = async (parts: Omit<RebuildParts, "progress" | "pageSize">): Promise<void> => {
  const { messages, seq, seconds } = await rebuild({ ...parts, pageSize: RENEWAL_PAGE, progress: () => undefined })
  console.error(
    JSON.stringify({
      level: "info",
      at: "projector",
      projection: parts.projection.name,
      version: parts.projection.version,
      rebuilt: messages,
      watermark: seq,
      seconds
    })
  )
}

export interface NodeParts {
  readonly nats: NatsConnection
  readonly manager: JetStreamManager
  readonly db: Kysely<Database>
  readonly config: HubConfig
  readonly seed: Uint8Array
  readonly bank: Bank
  readonly metrics: ProcessMetrics
  readonly tracing: Tracing
  /** Another release has others. */
  readonly kinds?: ReadonlyArray<Kind>
}

export interface RunningNode {
  readonly asker: Asker
  /** Drains and gives back every shard. */
  readonly stop: () => Promise<void>
}

export const startNode = async ({
  nats,
  manager,
  db,
  config,
  seed,
  bank,
  metrics,
  tracing,
  kinds = KINDS
}: NodeParts): Promise<RunningNode> => {
  const { service, authentication, identity } = config.limits
  const name = randomBytes(8).toString("hex")
  const transport = transportOver(nats, complain("transport"))
  const view = new LeaseView()
  const leases = new KvLeases(nats, view)
  const asker = metrics.observed(
    new Asker(
      transport,
      view,
      { role: "actors", name },
      { maxInFlight: service.max_asks_in_flight, maxFrameBytes: service.max_frame_bytes },
      metrics.asks
    )
  )
  const bounds = {
    batchMax: service.commit_batch_max,
    queueMax: service.commit_queue_max,
    replicated: config.streamReplicas > 1
  }
  const storage = new StorageWatch({ manager, config }, service.storage_free_min_bytes)
  const commits = commitMetrics(metrics.meter)
  const log = new JetStreamLog(nats, bounds, {
    batch: (size, outcome, seconds) => {
      if (outcome === "full") storage.refused()
      commits.batch(size, outcome, seconds)
    }
  })
  const nonces = new NonceLog(nats, {
    stream: streams.nonces,
    subject: subjects.nonce,
    keepSeconds: authentication.nonce_reuse_seconds + NONCE_MARGIN_SECONDS
  })
  const proofs = new NonceLog(nats, {
    stream: streams.proofs,
    subject: subjects.proof,
    keepSeconds: identity.nonce_memory_seconds
  })
  const timers = new ScheduledTimers(nats, tracing)
  const touched = async (kind: string, id: string): Promise<void> => {
    await asker.ask({
      id: randomBytes(8).toString("hex"),
      kind,
      actor: id,
      op: REFRESH,
      input: null,
      deadline: Date.now() + REFRESH_DEADLINE_MS
    })
  }
  const kindParts: KindParts = {
    nats,
    manager,
    config,
    bank,
    seed,
    log,
    nonces,
    proofs,
    stateOf: (kind, id) => host.stateOf(kind, id)
  }
  const snapshots = new PostgresSnapshots(db)
  const scope = Scope.makeUnsafe()
  const host: ActorHost<ActorServices> = await Effect.runPromise(
    ActorHost.make(
      kinds.map((kind) => kind.make(kindParts)),
      {
        log,
        snapshots,
        timers,
        readModels: new Watermark(nats, service.projected_wait_ms),
        limits: service,
        now: Date.now,
        touched,
        noRoom: () => storage.refusal()
      }
    ).pipe(Effect.provide(actorServices(nats, (ask) => asker.ask(ask))), Scope.provide(scope))
  )
  const operations = operationCalls(metrics.meter)
  const announce: ProjectorParts["announce"] = (seq, batch) => {
    nats.publish(subjects.projected, String(seq))
    for (const [agent, newest] of newsOf(batch)) nats.publish(subjects.notified(agent), newest)
  }
  const projector = (projection: Projection, tell: ProjectorParts["announce"]): Projector =>
    new Projector({
      nats,
      db,
      projection,
      announce: tell,
      tracing,
      renew: (signal) => renewed({ nats, manager, databaseUrl: config.databaseUrl ?? "", projection, signal })
    })
  const projectors = [projector(mainProjection, announce), projector(seenProjection, () => undefined)]
  const subscriptions = new Map<string, ReadonlyArray<{ unsubscribe(): void }>>()
  const startedAt = new Date().toISOString()
  const placement: Placement = new Placement({
    store: leases,
    view,
    now: () => performance.now(),
    newSession: () => randomBytes(8).toString("hex"),
    describe: () =>
      JSON.stringify({ name, pid: process.pid, roles: config.roles, started_at: startedAt, resident: host.resident }),
    ttlSeconds: SESSION_TTL_SECONDS,
    events: {
      began: async (session) => {
        const node = new Node(transport, host, placement, view, tracing, operations)
        subscriptions.set(session, [
          nats.subscribe(subjects.node(session, "*"), {
            callback: (error, message) => {
              if (error !== null) return
              try {
                node.receive({
                  subject: message.subject,
                  payload: message.data,
                  reply: message.reply,
                  noResponders: false
                })
              } catch (problem) {
                complain("frame")(problem)
              }
            }
          }),
          nats.subscribe(subjects.nodePing(session), { callback: (_error, message) => void message.respond() })
        ])
        await nats.flush()
      },
      ended: (session) => {
        for (const subscription of subscriptions.get(session) ?? []) subscription.unsubscribe()
        subscriptions.delete(session)
      },
      prepare: async () => {
        await Promise.all([nonces.catchUp(), proofs.catchUp()])
      },
      drain: (shard) => host.drain(shard),
      dropped: (shard) => host.drop(shard)
    }
  })

  nodeMetrics(metrics, {
    nats,
    host,
    placement,
    log,
    snapshots,
    nonces,
    proofs,
    timers,
    operations,
    storage,
    limits: service
  })
  projectorMetrics(metrics.meter, projectors, manager)

  const runProjections = (): void => {
    const ours = placement.serves(shardOf(PROJECTOR))
    for (const projector of projectors) {
      if (ours) projector.start()
      else void projector.stop()
    }
  }

  await storage.look()
  await leases.watch()
  await Promise.all([nonces.follow(), proofs.follow()])
  nats.subscribe(subjects.suspect, {
    callback: (error, message) => {
      if (error === null) void placement.pingOnce(message.string())
    }
  })
  await timers.deliver(
    manager,
    (ask) => asker.ask(ask),
    (kind, name) => {
      const onTimer = host.definition(kind)?.onTimer
      return typeof onTimer === "function" ? onTimer(name) : onTimer
    }
  )
  const beat = setInterval(() => {
    placement.tick().catch(complain("placement"))
    runProjections()
  }, BEAT_MS)
  const sweep = setInterval(() => host.sweep(), SWEEP_MS)
  const watch = setInterval(() => void storage.look(), LOOK_EVERY_MS)
  await placement.tick()

  const stop = async (): Promise<void> => {
    clearInterval(sweep)
    clearInterval(watch)
    await Promise.all(projectors.map((projector) => projector.stop()))
    await placement.stop()
    clearInterval(beat)
    await Effect.runPromise(Scope.close(scope, Exit.void))
    asker.close()
  }
  return { asker, stop }
}
