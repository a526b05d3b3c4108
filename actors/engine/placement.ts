/**
 * Placement: which node of the cluster owns which shard.
 *
 * Invariants
 *  - A session is one life of one node. Its id is new after each start and each loss, and never used twice. So a
 *    restart under the same name is a new session, and messages for the old one do not reach it.
 *  - A session beats every BEAT_MS on its own key, each time expecting the revision of its last beat. A refused beat,
 *    or no acknowledged beat for DROP_AFTER_MS (less than the key's time to live), ends it. Every shard is dropped at
 *    once, and a new session begins.
 *  - A node answers only while its last acknowledged beat was *sent* within SERVE_WITHIN_MS, which is less than the
 *    silence after which peers may end it. A thawed node therefore answers only after a new beat was acknowledged.
 *  - Shards go to the live session with the highest rendezvous weight, claimed by compare-and-set on the shard's key. A
 *    claim is made only when the key names no live session, or this one. An owner that is no longer the best drains and
 *    gives the shard back; nobody takes it from a living one.
 *  - The view may be old. A key that seems to name this session already is therefore also claimed by compare-and-set,
 *    before the shard is served.
 *  - The session that a key names tries at each tick to serve the shard, or to give it back, until one of them
 *    succeeds. So no shard keeps a living owner that does not serve it, even if a preparation fails or the bus loses
 *    its leader while a key is given back.
 *  - Sessions ping their successors in the ring of sessions. "No responders" (the connection is gone) or silence of
 *    SILENT_AFTER_MS, seen by a node whose own lease is good, ends a session by compare-and-set on its key. If it has
 *    beaten meanwhile, the set fails. A silent session then lives, and one without a responder is pinged again.
 *  - Work of a session (claims, returns, pings, listening on its subjects) belongs to its scope (session.ts) and ends
 *    with it. Nothing of a lost session affects the next one.
 *  - All of this is a hint. Two nodes may believe in one shard for a moment (a slow watch, a lost compare-and-set); the
 *    log's expected sequences decide what is written. A node sends nothing to the log for a shard that it does not
 *    serve by its own knowledge (command.ts).
 */
import { Effect, Exit, Fiber, FiberSet, Option, Scope, Semaphore } from "effect"
import { SHARD_COUNT } from "../../schemas/subjects.ts"
import { logNow } from "../../schemas/runtime/log/log.ts"
import type { LeaseStore } from "./ports.ts"
import { highestOf } from "./rendezvous.ts"
import { openSession, type Run, type Session } from "./session.ts"
import { type LeaseView, nodeKey, shardKey } from "../../schemas/runtime/bus/lease-view.ts"

export const BEAT_MS = 250
export const SERVE_WITHIN_MS = 700
export const DROP_AFTER_MS = 2700
export const SILENT_AFTER_MS = 800
const SUCCESSORS = 2
const PING_TRIES = 3
/** A shard moves to a better owner only when the set of sessions has been the same for this long. */
const SETTLED_MS = 500

interface PlacementEvents {
  /** Listens on a session's subjects for as long as it lives. This begins before other nodes can see the session. */
  readonly listen: (session: string) => Effect.Effect<void, unknown, Scope.Scope>
  readonly prepare: Effect.Effect<unknown, unknown>
  /** Called before a shard is given back, so that its commands can finish. */
  readonly drain: (shard: number) => Effect.Effect<void>
  readonly served: (shard: number) => void
  readonly dropped: (shard: number) => void
  /**
   * Called when the session of another node has ended. That node may have committed to actors of this one, and died
   * before it could say so.
   */
  readonly peerEnded: () => void
}

export interface PlacementOptions {
  readonly store: LeaseStore
  readonly view: LeaseView
  readonly events: PlacementEvents
  /** Monotonic time in ms. */
  readonly now: () => number
  readonly newSession: () => string
  /** The node's description in the session's key: JSON, shown by `hub status`. */
  readonly describe: () => string
  readonly ttlSeconds: number
}

export class Placement {
  /**
   * Counted since the start: beats that were acknowledged and beats that were not, sessions that began and that ended.
   */
  readonly counts = { beats: 0, beatsFailed: 0, began: 0, ended: 0 }
  private readonly options: PlacementOptions
  private readonly scope: Scope.Scope
  private readonly run: Run
  private readonly beginning = Semaphore.makeUnsafe(1)
  private current: Session | null = null
  private stopping = false
  private membersChangedAt = 0

  private constructor(options: PlacementOptions, scope: Scope.Scope, run: Run) {
    this.options = options
    this.scope = scope
    this.run = run
  }

  /** Follows the view and has sessions for as long as the scope is open. */
  static make(options: PlacementOptions): Effect.Effect<Placement, never, Scope.Scope> {
    return Effect.gen(function* () {
      const run = yield* FiberSet.makeRuntime<never, void, never>()
      const placement = new Placement(options, yield* Effect.scope, run)
      const listening = Effect.sync(() => [
        options.view.onChange(() => placement.arrange()),
        options.view.onNode((session, alive) => placement.membersChanged(session, alive))
      ])
      yield* Effect.acquireRelease(listening, (ends) => Effect.sync(() => ends.forEach((end) => end())))
      yield* Effect.addFinalizer(() => Effect.sync(() => placement.end()))
      return placement
    })
  }

  get session(): string | null {
    return this.current?.id ?? null
  }

  serves(shard: number): boolean {
    const { current } = this
    if (current === null) return false
    const held = current.held.get(shard)
    return (held === "serving" || held === "draining") && this.isFresh(current)
  }

  private isFresh(session: Session): boolean {
    return this.options.now() - session.sentAt <= SERVE_WITHIN_MS
  }

  /** Has to be called every BEAT_MS or more often, even while an earlier call hangs. */
  readonly tick: Effect.Effect<void, unknown> = Effect.suspend(() => {
    const { now } = this.options
    if (this.current !== null && now() - this.current.sentAt > DROP_AFTER_MS)
      this.lose(this.current, `no beat was acknowledged for ${DROP_AFTER_MS} ms`)
    const { current } = this
    if (current === null)
      return this.stopping ? Effect.void : Semaphore.withPermitsIfAvailable(this.beginning, 1, this.begin)
    return Effect.andThen(
      Semaphore.withPermitsIfAvailable(current.beat, 1, this.beat(current)),
      Effect.sync(() => {
        if (this.current === null) return
        this.watchPeers(this.current)
        this.arrange()
      })
    )
  }).pipe(Effect.asVoid)

  readonly stop: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    this.stopping = true
    const { current } = this
    if (current === null) return
    yield* Fiber.awaitAll([...current.held.keys()].map((shard) => current.run(this.giveBack(current, shard))))
    yield* Effect.ignore(this.options.store.remove(nodeKey(current.id), current.revision))
    this.lose(current)
  })

  private end(): void {
    this.stopping = true
    if (this.current !== null) this.lose(this.current)
  }

  private readonly begin: Effect.Effect<void, unknown> = Effect.gen({ self: this }, function* () {
    const { newSession, events, now, store, describe, ttlSeconds } = this.options
    const session = yield* openSession(newSession(), this.scope)
    const { id, scope } = session
    const closed = Scope.close(scope, Exit.void)
    const written = Effect.gen({ self: this }, function* () {
      yield* Scope.provide(events.listen(id), scope)
      session.sentAt = now()
      const revision = yield* Effect.option(store.put(nodeKey(id), describe(), 0, ttlSeconds))
      if (Option.isSome(revision)) session.revision = revision.value
      return Option.isSome(revision) && !this.stopping
    })
    if (!(yield* Effect.onError(written, () => closed))) return yield* closed
    this.current = session
    this.counts.began++
    this.arrange()
  })

  private beat(session: Session): Effect.Effect<void> {
    return Effect.suspend(() => {
      const { store, now, describe, ttlSeconds } = this.options
      const sentAt = now()
      return Effect.match(store.put(nodeKey(session.id), describe(), session.revision, ttlSeconds), {
        onSuccess: (revision) => {
          this.counts.beats++
          session.revision = revision
          session.sentAt = sentAt
        },
        onFailure: (why) => {
          this.counts.beatsFailed++
          if (why === "conflict") this.lose(session, "its key was changed by another")
        }
      })
    })
  }

  /** `why`: the reason for the log; absent if the node leaves on its own. */
  private lose(session: Session, why?: string): void {
    if (this.current !== session) return
    const message = `the session ended: ${why ?? ""}; its shards go to others until a new one begins`
    if (why !== undefined) logNow("warn", "placement", { session: session.id, shards: session.held.size, message })
    this.current = null
    this.counts.ended++
    for (const shard of session.held.keys()) this.options.events.dropped(shard)
    this.run(Effect.uninterruptible(Scope.close(session.scope, Exit.void)))
  }

  private membersChanged(session: string, alive: boolean): void {
    this.membersChangedAt = this.options.now()
    if (!alive) {
      this.current?.heard.delete(session)
      if (this.current?.id !== session) this.options.events.peerEnded()
      else this.lose(this.current, this.stopping ? undefined : "its key is gone: a peer ended it, or it expired")
    }
    this.arrange()
  }

  /**
   * Claims shards that should belong to this session and have no live owner. Gives back shards that should belong to
   * another.
   */
  private arrange(): void {
    const { current } = this
    const { view, now } = this.options
    if (current === null || this.stopping || !view.isLive(current.id)) return
    for (let shard = 0; shard < SHARD_COUNT; shard++) {
      const owner = view.ownerOf(shard)
      const best = highestOf(view.sessions(), shard)
      const held = current.held.get(shard)
      // A shard whose key names us is served by no other node. If a claim failed or a key could not be given back, the
      // shard is taken up again. If another node would be better by now, it is given back after that.
      if (
        held === undefined &&
        (owner === current.id || (best === current.id && (owner === null || !view.isLive(owner))))
      ) {
        current.run(this.claim(current, shard))
      } else if (held === "serving" && owner !== current.id) {
        // The key no longer names this session, because a peer thought it dead.
        current.held.delete(shard)
        this.options.events.dropped(shard)
      } else if (held === "serving" && best !== current.id && now() - this.membersChangedAt >= SETTLED_MS) {
        current.run(this.giveBack(current, shard))
      }
    }
  }

  private claim({ id, held }: Session, shard: number): Effect.Effect<void> {
    const { store, events } = this.options
    const key = shardKey(shard)
    return Effect.suspend(() => {
      held.set(shard, "claiming")
      return Effect.andThen(store.put(key, id, store.revision(key)), events.prepare)
    }).pipe(
      Effect.matchCause({
        onSuccess: () => {
          held.set(shard, "serving")
          events.served(shard)
        },
        // A shard that could not be prepared is not served. If the key is ours already, the next tick tries again.
        onFailure: () => void held.delete(shard)
      })
    )
  }

  private giveBack({ held }: Session, shard: number): Effect.Effect<void> {
    const { store, events } = this.options
    const key = shardKey(shard)
    return Effect.gen(function* () {
      if (held.get(shard) !== "serving") return
      held.set(shard, "draining")
      yield* events.drain(shard)
      held.set(shard, "released")
      events.dropped(shard)
      yield* Effect.ignore(store.put(key, "", store.revision(key)))
      held.delete(shard)
    })
  }

  private watchPeers(session: Session): void {
    const others = this.options.view
      .sessions()
      .filter((other) => other !== session.id)
      .toSorted()
    const after = others.filter((other) => other > session.id)
    for (const peer of [...after, ...others].slice(0, SUCCESSORS)) this.suspect(peer)
  }

  /** Pings a peer. Also called when a request to its session found no responder. */
  suspect(peer: string): void {
    const { current } = this
    if (current === null || peer === current.id || !this.options.view.isLive(peer)) return
    if (!current.heard.has(peer)) current.heard.set(peer, this.options.now())
    current.pinging(peer, this.ping(current, peer), { onlyIfMissing: true })
  }

  /**
   * Pings a peer, and ends its session if it is gone or silent for too long. A peer without a responder may have beaten
   * since this node last read its key. So the key is read and the peer is pinged again.
   */
  private ping(session: Session, peer: string, tries = PING_TRIES): Effect.Effect<void> {
    const { store, view, now } = this.options
    return Effect.flatMap(store.ping(peer), (heard) => {
      const lastHeard = session.heard.get(peer)
      if (heard === "pong" && lastHeard !== undefined) session.heard.set(peer, now())
      if (heard === "pong" || (heard === "silent" && now() - (lastHeard ?? now()) <= SILENT_AFTER_MS))
        return Effect.void
      // A node whose own lease is not fresh does not judge the connection of another.
      if (!this.isFresh(session) || !view.isLive(peer)) return Effect.void
      const key = nodeKey(peer)
      return Effect.catch(Effect.asVoid(store.remove(key, store.revision(key))), (why) =>
        heard === "gone" && why === "conflict" && tries > 1
          ? Effect.andThen(
              store.refresh(key),
              Effect.suspend(() => (view.isLive(peer) ? this.ping(session, peer, tries - 1) : Effect.void))
            )
          : Effect.void
      )
    })
  }
}
