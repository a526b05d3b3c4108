/**
 * Wires one actor node: the engine with its connection, the actor kinds and timers. One of the nodes also runs
 * projections and reactions.
 *
 * When its scope closes, projections and reactions end first. Then every shard is drained and given back, and beats
 * continue until that is done.
 */
import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import type { NatsConnection } from "@nats-io/transport-node"
import { Clock, Effect, FiberHandle, FiberSet, Latch, Schedule, type Scope } from "effect"
import { type BusRole, busRoleOf } from "../../schemas/bus/roles.ts"
import type { HubConfig } from "../../schemas/config.ts"
import { wallMs, monotonicMs, machineClock } from "../../schemas/runtime/clock.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import { shardOf, streams, subjects } from "../../schemas/subjects.ts"
import { KINDS, type NodeKind, type NodeParts } from "./kinds.ts"
import { AccountKeys } from "../kit/account-keys.ts"
import { type Letters, openLetters } from "../letter/noun.ts"
import { attempt, awaited } from "../log/attempt.ts"
import { JetStreamLog } from "../log/event-log.ts"
import type { EventLog } from "../log/commit.ts"
import { lastRestore, type Restored } from "../log/last-restore.ts"
import { ActorHost } from "../engine/host.ts"
import type { Loopback } from "../engine/loopback.ts"
import { Node, REFRESH } from "../engine/node.ts"
import { NonceLog } from "../log/nonces.ts"
import { BEAT_MS, Placement } from "../engine/placement.ts"
import { Announcer, Watermarks } from "../engine/read-models.ts"
import { PostgresSnapshots } from "../engine/snapshots.ts"
import { NONCE_MARGIN_SECONDS, SESSION_TTL_SECONDS } from "../log/streams.ts"
import { StorageWatch } from "../log/storage.ts"
import { subscribed } from "../log/subscription.ts"
import { ScheduledTimers } from "../engine/timers.ts"
import { GapCloser } from "../message/noun.ts"
import { commitMetrics, nodeMetrics, operationCalls } from "./metrics/node.ts"
import { reactorMetrics } from "./metrics/reactors.ts"
import { projectorMetrics } from "./metrics/projectors.ts"
import { prunerMetrics } from "./metrics/pruner.ts"
import { archiveMetrics } from "./metrics/archive.ts"
import { replicaMetrics } from "./metrics/replicas.ts"
import type { ConfigurationFault } from "../../schemas/runtime/configuration-fault.ts"
import { ownKeys } from "../log/own-keys.ts"
import { MAIL_KEY_NAMES, mailKeysWith } from "../mail/noun.ts"
import { Archiving } from "./archiving.ts"
import {
  Bus,
  Cluster,
  Configuration,
  Drained,
  LogArchive,
  MailKey,
  Metrics,
  Streams,
  Tables,
  Tracing
} from "../kit/process.ts"
import { Keys } from "./keys.ts"
import { feedsFor } from "../projections/feed.ts"
import { countersRaised, raisingCounters } from "../projections/numbered.ts"
import { projectorsOn, prunerOn, runAll } from "./projecting.ts"
import { AWAITED_BY_KIND, REACTIONS } from "./reactions.ts"
import type { Reactions } from "../reactions/reaction.ts"
import { Reactor } from "./reacting.ts"
import { chatHasher, LISTENER, listens } from "../chat/noun.ts"
import { claimLog } from "../service/noun.ts"
import { type ActorServices, actorServices } from "../engine/services.ts"

/**
 * The owner of this actor id's shard runs projections and reactions. That is one node at a time, as long as leases
 * hold.
 */
export const PROJECTOR = "projector"
const SWEEP_MS = 5000
/** Stands for the format of a kind that this release does not have. */
const NO_FORMAT = -1
const REFRESH_DEADLINE_MS = 1000

export type NodeServices = Bus | Cluster | Configuration | Keys | MailKey | Metrics | Streams | Tables | Tracing

const logsOf = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const nats = yield* Bus
  const config = yield* Configuration
  const metrics = yield* Metrics
  const { service, authentication, identity } = config.limits
  const storage = yield* StorageWatch.watching({ manager: yield* Streams, config }, service.storage_free_min_bytes)
  const commits = commitMetrics(metrics)
  const bounds = {
    batchMax: service.commit_batch_max,
    queueMax: service.commit_queue_max,
    replicated: config.streamReplicas > 1,
    archive: (yield* LogArchive)?.archive
  }
  const log = new JetStreamLog(clock, nats, bounds, {
    batch: (size, outcome, seconds) => {
      if (outcome === "full") storage.refused()
      commits.batch(size, outcome, seconds)
    }
  })
  const nonces = yield* NonceLog.make(nats, {
    stream: streams.nonces,
    subject: subjects.nonce,
    keepSeconds: authentication.nonce_reuse_seconds + NONCE_MARGIN_SECONDS
  })
  const proofs = yield* NonceLog.make(nats, {
    stream: streams.proofs,
    subject: subjects.proof,
    keepSeconds: identity.nonce_memory_seconds
  })
  return { storage, log, nonces, proofs }
})

type Logs = Effect.Success<typeof logsOf>

const isClaim = (definition: { readonly operations: object } | undefined): boolean =>
  definition !== undefined && Object.keys(definition.operations).length === 0

interface HostedBy {
  readonly timers: ScheduledTimers
  readonly snapshots: PostgresSnapshots
  readonly letters: Letters
  readonly restored: Restored
}

const hostOf = (
  kinds: ReadonlyArray<NodeKind>,
  { storage, log, nonces, proofs }: Logs,
  { timers, snapshots, letters, restored }: HostedBy,
  serves: (shard: number) => boolean
): Effect.Effect<ActorHost<ActorServices>, never, NodeServices | Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const nats = yield* Bus
    const config = yield* Configuration
    const { service } = config.limits
    const { asker } = yield* Cluster
    const touched = async (kind: string, id: string): Promise<void> => {
      // The actor of a claim is never in memory; the claim is read from the log.
      if (isClaim(host.definition(kind))) return
      if (serves(shardOf(id))) return host.stale(kind, id)
      const deadline = wallMs(clock) + REFRESH_DEADLINE_MS
      await asker.ask({ id: randomBytes(8).toString("hex"), kind, actor: id, op: REFRESH, input: null, deadline })
    }
    const keys = yield* Keys
    const parts: NodeParts = {
      ...keys,
      clock,
      accounts: new AccountKeys(nats, keys.seed),
      mail: mailKeysWith(nats, (yield* MailKey).key),
      letters,
      nats,
      manager: yield* Streams,
      config,
      log,
      nonces,
      proofs,
      restored,
      stateOf: (fold, id) => host.stateOf(fold, id)
    }
    const host: ActorHost<ActorServices> = yield* ActorHost.make(
      kinds.map((kind) => kind.make(parts)),
      {
        log,
        snapshots,
        timers,
        readModels: yield* Watermarks.make(nats, service.projected_wait_ms, AWAITED_BY_KIND),
        limits: service,
        now: () => wallMs(clock),
        touched,
        serves: (id) => serves(shardOf(id)),
        noRoom: () => storage.refusal()
      }
    ).pipe(Effect.provide(actorServices(clock, nats, (ask) => asker.ask(ask))))
    return host
  })

/**
 * Fails if the log was restored since this node started, and ends the process. A node that was frozen or cut off during
 * the restore has actors of the earlier log in memory, and would not know what the restore has ended.
 */
const unrestored = (
  log: Pick<EventLog, "last">,
  { seq, at }: Restored,
  drained: Latch.Latch | null
): Effect.Effect<void, unknown> =>
  Effect.flatMap(
    attempt(() => lastRestore(log)),
    (now) => {
      if (now.seq === seq && now.at === at) return Effect.void
      drained?.openUnsafe()
      return Effect.fail(new Error("The log was restored since this process started. Start it again."))
    }
  )

const listeningFor = (
  nats: NatsConnection,
  transport: Loopback,
  own: { readonly session: string; readonly role: BusRole; readonly drained: Latch.Latch | null },
  node: Node<ActorServices>
): Effect.Effect<void, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const { session, role, drained } = own
    yield* Effect.acquireRelease(
      Effect.sync(() => transport.listen(subjects.node(session, role), (message) => node.receive(message))),
      (leave) => Effect.sync(leave)
    )
    yield* subscribed(nats, subjects.node(session, "*"), ({ subject, data: payload, reply }) => {
      try {
        node.receive({ subject, payload, reply, noResponders: false })
      } catch (problem) {
        logNow("error", "frame", { error: problem })
      }
    })
    yield* subscribed(nats, subjects.nodePing(session), (message) => void message.respond())
    if (drained !== null)
      yield* subscribed(nats, subjects.nodeDrain(session), (message) => {
        message.respond()
        drained.openUnsafe()
      })
    yield* attempt(() => nats.flush())
  })

const describing = (
  clock: Clock.Clock,
  name: string,
  { roles, archive }: HubConfig,
  host: ActorHost<ActorServices>
): (() => string) => {
  const place = { name, host: hostname(), pid: process.pid, roles, archive: archive !== null }
  const startedAt = new Date(wallMs(clock)).toISOString()
  return () => JSON.stringify({ ...place, started_at: startedAt, resident: host.resident })
}

const every = (
  ms: number,
  act: Effect.Effect<unknown, never, Scope.Scope>
): Effect.Effect<unknown, never, Scope.Scope> =>
  Effect.forkScoped(Effect.repeat(withDefectsLogged(act), Schedule.fixed(ms)))

/** Logs defects of repeated work, so that they do not end it. */
const withDefectsLogged = <R>(act: Effect.Effect<unknown, never, R>): Effect.Effect<unknown, never, R> =>
  Effect.catchDefect(act, (defect) => Effect.annotateLogs(Effect.logError(defect), { at: "node" }))

/**
 * Succeeds after the node's first try to join the cluster. `kinds` and `sets`: tests replace them to act as another
 * release.
 */
export const actorNode = (
  kinds: ReadonlyArray<NodeKind> = KINDS,
  sets: ReadonlyArray<Reactions> = REACTIONS
): Effect.Effect<void, ConfigurationFault, NodeServices | Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const nats = yield* Bus
    const manager = yield* Streams
    const config = yield* Configuration
    const metrics = yield* Metrics
    const tracing = yield* Tracing
    const drained = yield* Drained
    const { transport, view, leases, asker, name } = yield* Cluster
    const formats = new Map(kinds.map(({ fold, format }) => [fold.kind, format]))
    const snapshots = new PostgresSnapshots(clock, yield* Tables, (kind) => formats.get(kind) ?? NO_FORMAT)
    const timers = new ScheduledTimers(nats, tracing)
    const logs = yield* logsOf
    const { storage, log, nonces, proofs } = logs
    yield* claimLog(log, (yield* Keys).seed)
    const mail = mailKeysWith(nats, (yield* MailKey).key)
    if (mail !== null) yield* ownKeys(() => mail.opens(), MAIL_KEY_NAMES)
    const letters = yield* openLetters(config)
    const services = actorServices(clock, nats, (ask) => asker.ask(ask))
    const hashOf = chatHasher((yield* Keys).seed)
    const restored = yield* awaited(
      "the last restore",
      attempt(() => lastRestore(log))
    )
    const host = yield* hostOf(kinds, logs, { timers, snapshots, letters, restored }, (shard) =>
      placement.serves(shard)
    )
    const operations = operationCalls(metrics.meter)
    /** Opened when the node takes the shard on which projections and reactions run. */
    const taken = Latch.makeUnsafe(false)
    const placement: Placement = yield* Placement.make({
      store: leases,
      view,
      // The bus enforces the time to live of a lease by its own machine's clock.
      now: () => monotonicMs(machineClock),
      newSession: () => randomBytes(8).toString("hex"),
      describe: describing(clock, name, config, host),
      ttlSeconds: SESSION_TTL_SECONDS,
      events: {
        listen: (session) => {
          const node = new Node(clock, transport, host, placement, view, tracing, operations)
          const own = { session, role: busRoleOf(config.roles), drained }
          return Effect.andThen(unrestored(log, restored, drained), listeningFor(nats, transport, own, node))
        },
        prepare: Effect.all([nonces.catchUp, proofs.catchUp], { concurrency: "unbounded" }),
        drain: (shard) => host.drain(shard),
        served: (shard) => {
          if (shard === shardOf(PROJECTOR)) taken.openUnsafe()
        },
        dropped: (shard) => host.drop(shard),
        peerEnded: () => host.allStale()
      }
    })
    const parts = { nats, host, placement, log, snapshots, nonces, proofs, timers, operations, storage }
    nodeMetrics(metrics, { ...parts, limits: config.limits.service })
    const feedOf = feedsFor(nats, tracing, (yield* LogArchive)?.archive)
    const projecting = yield* projectorsOn(feedOf)
    projectorMetrics(clock, metrics.meter, projecting, manager)
    const pruner = yield* Effect.provide(prunerOn, services)
    prunerMetrics(metrics.meter, pruner)
    const db = yield* Tables
    const closer = new GapCloser({ db, log })
    const opened = yield* LogArchive
    // This comes before the node owns a shard and draws numbers.
    if (opened !== null) yield* countersRaised(nats, db)
    const limits = config.limits.service
    const archiving = opened === null ? [] : [new Archiving({ nats, manager, db, view, log, opened, limits })]
    for (const one of archiving) archiveMetrics(metrics.meter, one)
    replicaMetrics(metrics.meter, manager)

    yield* Effect.all([awaited("the nonces", nonces.follow), awaited("the proofs", proofs.follow)], {
      concurrency: "unbounded"
    })
    yield* subscribed(nats, subjects.suspect, (message) => placement.suspect(message.string()))
    const delivering = timers.deliver(
      manager,
      (ask) => asker.ask(ask),
      (kind, timer) => host.timerOperation(kind, timer)
    )
    yield* awaited("the timers", delivering)
    const tick = placement.tick.pipe(
      Effect.catch((error) => Effect.logError(error)),
      Effect.catchDefect((defect) => Effect.logError(defect)),
      Effect.annotateLogs({ at: "placement" })
    )
    yield* tick
    // A beat that hangs must not delay the next one. Beats continue while the scope closes, until every shard is given
    // back.
    const beat = yield* FiberSet.makeRuntime<never, void, never>()
    yield* every(
      BEAT_MS,
      Effect.sync(() => void beat(tick))
    )
    yield* Effect.addFinalizer(() => placement.stop)
    // Letters under way end while their actors are still here to record the outcome.
    yield* Effect.addFinalizer(() => letters.end)
    const running = yield* FiberHandle.make()
    const project = Effect.suspend(() =>
      placement.serves(shardOf(PROJECTOR))
        ? FiberHandle.run(
            running,
            runAll([...projecting, pruner, closer, ...archiving, { run: raisingCounters(nats, db) }]),
            {
              onlyIfMissing: true
            }
          )
        : FiberHandle.clear(running)
    )
    const chats = yield* FiberHandle.make()
    const chatting = Effect.suspend(() => {
      if (letters.chat === null || !placement.serves(shardOf(LISTENER))) return FiberHandle.clear(chats)
      const listening = listens({ bot: letters.chat, hashOf })
      return FiberHandle.run(chats, Effect.provide(listening, services), { onlyIfMissing: true })
    })
    yield* every(BEAT_MS, chatting)
    const announcer = yield* Announcer.make(nats)
    const reactors = yield* Effect.forEach(sets, (set) => Reactor.make(set, feedOf, announcer))
    reactorMetrics(metrics.meter, reactors)
    const react = Effect.suspend(() => {
      const ours = placement.serves(shardOf(PROJECTOR))
      return Effect.forEach(reactors, ({ start, stop }) => (ours ? start : stop), { discard: true })
    })
    // Writes wait for the read models, so a node that gets the shard begins immediately.
    const looked = Effect.raceFirst(taken.await, Effect.sleep(BEAT_MS))
    const looking = (act: Effect.Effect<unknown>) =>
      Effect.andThen(
        Effect.sync(() => taken.closeUnsafe()),
        Effect.andThen(withDefectsLogged(act), looked)
      )
    // Each runs separately, because a projection that ends may have to wait for Postgres.
    yield* Effect.forkScoped(Effect.forever(looking(react)))
    yield* Effect.forkScoped(Effect.forever(looking(project)))
    yield* every(
      SWEEP_MS,
      Effect.sync(() => host.sweep())
    )
  })
