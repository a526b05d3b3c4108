/**
 * Placement: which node of the cluster owns which shard.
 *
 * Invariants
 *  - A session is one incarnation of one node: its id is made fresh at each start and each loss, never used twice. So a
 *    restart under the same name is a new session, and nothing that was meant for the old one reaches it.
 *  - A session beats every BEAT_MS on its own key, each time expecting the revision of its last beat. A beat that is
 *    refused, or no acknowledged beat for DROP_AFTER_MS (less than the key's time to live), ends it: every shard is
 *    dropped at once, and a new session begins.
 *  - A node answers only while its last acknowledged beat was *sent* within SERVE_WITHIN_MS, which is less than the
 *    silence after which peers may end it. A thawed node therefore first asks for its lease, then answers.
 *  - Shards go to the live session with the highest rendezvous weight, claimed by compare-and-set on the shard's key.
 *    A claim is made only when the key names no live session. An owner that is no longer the best drains and gives
 *    the shard back; nobody takes it from a living one.
 *  - The view may be old: also a key that is believed to name this session is claimed by compare-and-set, before it is
 *    served.
 *  - Whoever a key names takes the shard up, or gives it back, at each tick until it has: a claim whose preparation
 *    failed and a key that could not be given back (the bus was between two leaders) leave no shard with a living owner
 *    that does not serve it.
 *  - Sessions ping their successors in the ring of sessions. "No responders" (the connection is gone) or silence of
 *    SILENT_AFTER_MS, seen by a node whose own lease is good, ends a session by compare-and-set on its key: if it
 *    has beaten meanwhile, the set is lost and it lives.
 *  - All of this is a hint. Two nodes may believe in one shard for a moment (a slow watch, a lost compare-and-set);
 *    the log's expected sequences decide what is written (activation.ts).
 */
import { SHARD_COUNT } from "../../schemas/subjects.ts"
import { highestOf } from "./rendezvous.ts"
import { type LeaseView, nodeKey, shardKey } from "../../schemas/runtime/bus/lease-view.ts"

export const BEAT_MS = 250
export const SERVE_WITHIN_MS = 700
export const DROP_AFTER_MS = 2700
export const SILENT_AFTER_MS = 800
const PING_MS = 200
const SUCCESSORS = 2
/** A shard moves to a better owner only when the set of sessions has been the same for this long. */
const SETTLED_MS = 500

export type Written =
  | { readonly ok: true; readonly revision: number }
  | { readonly ok: false; readonly reason: "conflict" | "unknown" }
export type Ping = "pong" | "gone" | "silent"

/** A successful write is in the view when it resolves, and older news of that key never overwrites it. */
export interface LeaseStore {
  /** Writes a key that must stand at `expected` (0: absent or deleted before anybody wrote it). */
  readonly put: (key: string, value: string, expected: number, ttlSeconds?: number) => Promise<Written>
  readonly remove: (key: string, expected: number) => Promise<Written>
  /** Last heard revision of a key, 0 for never. */
  readonly revision: (key: string) => number
  readonly ping: (session: string) => Promise<Ping>
}

export interface PlacementEvents {
  /** A session begins: subscribe to its subjects before anybody can see it. */
  readonly began: (session: string) => Promise<void>
  readonly ended: (session: string) => void
  /** Before a claimed shard is served. */
  readonly prepare: () => Promise<void>
  /** Finish what is under way on a shard before it is given back. */
  readonly drain: (shard: number) => Promise<void>
  readonly dropped: (shard: number) => void
}

export interface PlacementOptions {
  readonly store: LeaseStore
  readonly view: LeaseView
  readonly events: PlacementEvents
  /** Monotonic ms. */
  readonly now: () => number
  readonly newSession: () => string
  /** What the session's key says of the node: JSON, shown by `hub status`. */
  readonly describe: () => string
  readonly ttlSeconds: number
}

/** `released`: no longer served, its key not yet given back. */
type Held = "claiming" | "serving" | "draining" | "released"

export class Placement {
  session: string | null = null
  /** Since the start: beats that were acknowledged and that were not, sessions begun and ended. */
  readonly counts = { beats: 0, beatsFailed: 0, began: 0, ended: 0 }
  private readonly options: PlacementOptions
  private readonly held = new Map<number, Held>()
  private beatRevision = 0
  private beatSentAt = Number.NEGATIVE_INFINITY
  private beating = false
  private starting = false
  private stopping = false
  private membersChangedAt = 0
  private readonly pings = new Map<string, { lastHeard: number; under: boolean }>()

  constructor(options: PlacementOptions) {
    this.options = options
    options.view.onChange(() => this.arrange())
    options.view.onNode((session, alive) => {
      this.membersChangedAt = options.now()
      if (!alive) this.pings.delete(session)
      if (!alive && session === this.session) this.lose()
      this.arrange()
    })
  }

  /** Whether this node may answer for a shard right now. */
  serves(shard: number): boolean {
    const held = this.held.get(shard)
    return (held === "serving" || held === "draining") && this.leaseIsFresh()
  }

  private leaseIsFresh(): boolean {
    return this.session !== null && this.options.now() - this.beatSentAt <= SERVE_WITHIN_MS
  }

  /** To be called every BEAT_MS or more often; everything that depends on time happens here. */
  async tick(): Promise<void> {
    const { now } = this.options
    if (this.session !== null && now() - this.beatSentAt > DROP_AFTER_MS) this.lose()
    if (this.session === null) {
      if (!this.stopping) await this.begin()
      return
    }
    await this.beat()
    this.watchPeers()
    this.arrange()
  }

  /** Gives every shard back, then ends the session. */
  async stop(): Promise<void> {
    this.stopping = true
    await Promise.all([...this.held.keys()].map((shard) => this.giveBack(shard)))
    const { session } = this
    if (session !== null) await this.options.store.remove(nodeKey(session), this.beatRevision)
    this.lose()
  }

  private async begin(): Promise<void> {
    if (this.starting) return
    this.starting = true
    const session = this.options.newSession()
    try {
      await this.options.events.began(session)
      const sentAt = this.options.now()
      const written = await this.options.store.put(
        nodeKey(session),
        this.options.describe(),
        0,
        this.options.ttlSeconds
      )
      if (!written.ok || this.stopping) {
        this.options.events.ended(session)
        return
      }
      this.beatRevision = written.revision
      this.beatSentAt = sentAt
      this.session = session
      this.counts.began++
      this.arrange()
    } catch (error) {
      this.options.events.ended(session)
      throw error
    } finally {
      this.starting = false
    }
  }

  private async beat(): Promise<void> {
    const { session } = this
    if (session === null || this.beating) return
    this.beating = true
    const sentAt = this.options.now()
    try {
      const written = await this.options.store.put(
        nodeKey(session),
        this.options.describe(),
        this.beatRevision,
        this.options.ttlSeconds
      )
      if (written.ok) this.counts.beats++
      else this.counts.beatsFailed++
      if (this.session !== session) return
      if (written.ok) {
        this.beatRevision = written.revision
        this.beatSentAt = sentAt
      } else if (written.reason === "conflict") this.lose()
    } finally {
      this.beating = false
    }
  }

  private lose(): void {
    const { session } = this
    if (session === null) return
    this.session = null
    this.counts.ended++
    for (const shard of this.held.keys()) this.options.events.dropped(shard)
    this.held.clear()
    this.pings.clear()
    this.options.events.ended(session)
  }

  /** Claims what should be ours and is nobody's, gives back what should be another's. */
  private arrange(): void {
    const { session } = this
    const { view, now } = this.options
    if (session === null || this.stopping || !view.isLive(session)) return
    for (let shard = 0; shard < SHARD_COUNT; shard++) {
      const owner = view.ownerOf(shard)
      const best = highestOf(view.sessions(), shard)
      const held = this.held.get(shard)
      // A key that names us is served by nobody else: a claim that came to nothing, or a key that could not be given
      // back, is taken up again even where another would be better by now, and given back then.
      if (held === undefined && (owner === session || (best === session && (owner === null || !view.isLive(owner))))) {
        void this.claim(shard, session)
      } else if (held === "serving" && owner !== session) {
        // The key says another: our claim was overwritten, which only happens to a session that was thought dead.
        this.held.delete(shard)
        this.options.events.dropped(shard)
      } else if (held === "serving" && best !== session && now() - this.membersChangedAt >= SETTLED_MS) {
        void this.giveBack(shard)
      }
    }
  }

  private async claim(shard: number, session: string): Promise<void> {
    this.held.set(shard, "claiming")
    const { store, events } = this.options
    const written = await store.put(shardKey(shard), session, store.revision(shardKey(shard)))
    // A shard that could not be prepared is not served: the key is ours already, and the next beat tries again.
    const prepared =
      written.ok &&
      (await events.prepare().then(
        () => true,
        () => false
      ))
    if (this.session !== session || this.held.get(shard) !== "claiming") return
    if (prepared) this.held.set(shard, "serving")
    else this.held.delete(shard)
  }

  private async giveBack(shard: number): Promise<void> {
    if (this.held.get(shard) !== "serving") return
    const { session } = this
    this.held.set(shard, "draining")
    await this.options.events.drain(shard).catch(() => undefined)
    if (this.session !== session || this.held.get(shard) !== "draining") return
    this.held.set(shard, "released")
    this.options.events.dropped(shard)
    const { store } = this.options
    await store.put(shardKey(shard), "", store.revision(shardKey(shard)))
    if (this.held.get(shard) === "released") this.held.delete(shard)
  }

  private watchPeers(): void {
    const { view, now } = this.options
    const others = view
      .sessions()
      .filter((session) => session !== this.session)
      .toSorted()
    const after = others.filter((session) => session > (this.session ?? ""))
    const successors = [...after, ...others].slice(0, SUCCESSORS)
    for (const session of successors) {
      const known = this.pings.get(session)
      if (known === undefined) this.pings.set(session, { lastHeard: now(), under: false })
      void this.pingOnce(session)
    }
  }

  /** Also called when somebody met no responder for a session. */
  async pingOnce(session: string): Promise<void> {
    if (session === this.session || !this.options.view.isLive(session)) return
    const peer = this.pings.get(session) ?? { lastHeard: this.options.now(), under: false }
    this.pings.set(session, peer)
    if (peer.under) return
    peer.under = true
    const ping = await this.options.store.ping(session)
    peer.under = false
    if (ping === "pong") peer.lastHeard = this.options.now()
    else if (ping === "gone" || this.options.now() - peer.lastHeard > SILENT_AFTER_MS) await this.endSession(session)
  }

  private async endSession(session: string): Promise<void> {
    // Who cannot vouch for its own connection does not judge another's.
    if (!this.leaseIsFresh() || !this.options.view.isLive(session)) return
    const { store } = this.options
    await store.remove(nodeKey(session), store.revision(nodeKey(session)))
  }
}

export const PING_TIMEOUT_MS = PING_MS
