/**
 * Observes a takeover on the bus as the operator's user. It records the times (`performance.now()`) at which a session
 * is suspected, its lease is ended, a shard is claimed, and the new owner begins to read logs.
 *
 * An observed write may still be refused and repeated. For a session, the last end before any claim counts. For a
 * shard, the last claim counts.
 */
import { Effect, Scope } from "effect"
import type { Msg, NatsConnection } from "@nats-io/transport-node"
import { KvLeases } from "../../../actors/engine/leases.ts"
import { highestOf } from "../../../actors/engine/rendezvous.ts"
import { LEASE_PREFIX, LeaseView } from "../../../schemas/runtime/bus/lease-view.ts"
import { SHARD_COUNT, shardOf, streams, subjects } from "../../../schemas/subjects.ts"

const CLAIMED_KEY = "bench.claim"

const SHARDS = Array.from({ length: SHARD_COUNT }, (_, shard) => shard)

export class TakeoverWatch {
  readonly suspected = new Map<string, number>()
  readonly ended = new Map<string, number>()
  readonly claimed = new Map<number, number>()
  /** For each shard, the first read of an actor's log since its last claim. */
  readonly loading = new Map<number, number>()
  private readonly sessions = new Map<number, string>()
  private readonly view: LeaseView
  private readonly leases: KvLeases

  private constructor(nats: NatsConnection, view: LeaseView, leases: KvLeases) {
    this.view = view
    this.leases = leases
    const hear = (subject: string, heard: (message: Msg) => void): void => {
      nats.subscribe(subject, {
        callback: (error, message) => {
          if (error === null) heard(message)
        }
      })
    }
    hear(`${LEASE_PREFIX}>`, (message) => this.leaseWritten(message))
    hear(subjects.suspect, (message) => first(this.suspected, message.string()))
    hear(`$JS.API.DIRECT.GET.${streams.events}`, (message) => {
      const { next_by_subj = "" } = message.json<{ next_by_subj?: string }>()
      first(this.loading, shardOf(next_by_subj.slice(next_by_subj.lastIndexOf(".") + 1)))
    })
  }

  /** It observes until the connection is closed. */
  static async open(nats: NatsConnection): Promise<TakeoverWatch> {
    const view = new LeaseView()
    const watching = Effect.provideService(KvLeases.watching(nats, view), Scope.Scope, Scope.makeUnsafe())
    return new TakeoverWatch(nats, view, await Effect.runPromise(watching))
  }

  forget(): void {
    for (const heard of [this.suspected, this.ended, this.claimed, this.loading]) heard.clear()
  }

  /** The session of a process, once its heartbeat was observed. */
  sessionOf(pid: number | null): string | undefined {
    return pid === null ? undefined : this.sessions.get(pid)
  }

  shardsOf(session: string): ReadonlyArray<number> {
    return SHARDS.filter((shard) => this.view.ownerOf(shard) === session)
  }

  /** True if there are no other processes than these, and each shard is at its final owner. */
  balanced(pids: ReadonlyArray<number | null>): boolean {
    const sessions = this.view.sessions()
    return (
      sessions.length === pids.length &&
      pids.every((pid) => sessions.includes(this.sessionOf(pid) ?? "")) &&
      SHARDS.every((shard) => this.view.ownerOf(shard) === highestOf(sessions, shard))
    )
  }

  /** Milliseconds of one compare-and-set in the bucket of leases, with a key that belongs to no shard. */
  async claim(owner: string): Promise<number> {
    const began = performance.now()
    await Effect.runPromise(this.leases.put(CLAIMED_KEY, owner, this.leases.revision(CLAIMED_KEY)))
    return performance.now() - began
  }

  private leaseWritten(message: Msg): void {
    const [what, name = ""] = message.subject.slice(LEASE_PREFIX.length).split(".")
    const gone = message.headers?.get("KV-Operation") === "DEL"
    if (what === "node" && gone) {
      if (this.claimed.size === 0) this.ended.set(name, performance.now())
    } else if (what === "node") this.sessions.set(message.json<{ pid: number }>().pid, name)
    else if (what === "shard" && message.data.length > 0) {
      this.claimed.set(Number(name), performance.now())
      this.loading.delete(Number(name))
    }
  }
}

const first = <Key>(times: Map<Key, number>, key: Key): void => {
  if (!times.has(key)) times.set(key, performance.now())
}
