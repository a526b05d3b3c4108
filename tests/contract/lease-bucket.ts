/** A bucket of leases whose replicas may be behind, and what happens to it. */
import type { Clock } from "effect"
import fc from "fast-check"
import { LEASE_PREFIX, LeaseView, nodeKey, shardKey } from "../../schemas/runtime/bus/lease-view.ts"
import type { NatsMessageShape, NatsShape } from "../../schemas/runtime/bus/transport.ts"
import { after } from "../../schemas/runtime/clock.ts"
import { SHARD_COUNT } from "../../schemas/subjects.ts"

const SESSIONS = ["s0", "s1", "s2"]
const SHARDS = 4
export const BEAT_MS = 250
export const ANSWER_MS = 3

type Change =
  | { readonly type: "own"; readonly shard: number; readonly session: number }
  | { readonly type: "beat" | "end" | "expire"; readonly session: number }
  /** A key that is there no longer, and nothing that says so. */
  | { readonly type: "vanish"; readonly shard: number }
  | { readonly type: "anew" }

interface Step {
  readonly after: number
  readonly change: Change
  /** Changes that the replica which answers next has not heard of. */
  readonly behind: number
  readonly loses: boolean
}

const shard = fc.nat(SHARDS - 1)
const session = fc.nat(SESSIONS.length - 1)

const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant("own" as const), shard, session }) },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constantFrom("beat" as const, "end" as const, "expire" as const), session })
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("vanish" as const), shard }) },
  { weight: 1, arbitrary: fc.constant({ type: "anew" as const }) }
)

export const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.record({ after: fc.nat(700), change, behind: fc.nat(6), loses: fc.boolean() }),
  { minLength: 1, maxLength: 25 }
)

interface Kept {
  readonly seq: number
  readonly value: string | null
}

/** The bucket as it stood after each change, so that a replica may be asked for an older one. */
export class Bucket {
  private readonly clock: Clock.Clock
  private states: Array<ReadonlyMap<string, Kept>> = [new Map()]
  private created = 0
  private seq = 0
  private readonly subscriptions = new Map<string, (message: NatsMessageShape) => void>()
  behind = 0
  loses = false
  closed = false
  /** Nobody answers, as where there is no stream. */
  absent = false
  /** What the server says of the stream instead of what it is, while it has no leader. */
  instead: object | null = null

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  readonly nats: NatsShape = {
    isDraining: () => false,
    isClosed: () => this.closed,
    subscribe: (subject, { callback }) => {
      this.subscriptions.set(subject, (message) => callback(null, message))
      return { unsubscribe: () => void this.subscriptions.delete(subject) }
    },
    publish: (subject, payload, options) => {
      const reply = options?.reply ?? ""
      const answers = this.absent ? [messageOf(reply, "", { code: 503 })] : this.answers(subject, payload, reply)
      const deliver = (): void => answers.forEach((message) => this.deliver(reply, message))
      if (!this.loses) after(this.clock, ANSWER_MS, deliver)
    }
  }

  get now(): ReadonlyMap<string, Kept> {
    return this.states.at(-1) ?? new Map()
  }

  write(key: string, value: string | null): void {
    this.seq++
    this.states.push(new Map([...this.now].filter(([known]) => known !== key)).set(key, { seq: this.seq, value }))
    this.deliver(
      LEASE_PREFIX + key,
      messageOf(LEASE_PREFIX + key, value ?? "", value === null ? { "KV-Operation": "DEL" } : {})
    )
  }

  /** As the server does by itself: those that listen do not hear of it. */
  expire(key: string): void {
    this.seq++
    this.states.push(new Map(this.now).set(key, { seq: this.seq, value: null }))
  }

  vanish(key: string): void {
    this.states.push(new Map([...this.now].filter(([known]) => known !== key)))
  }

  anew(): void {
    this.created++
    this.seq = 0
    this.states = [new Map()]
  }

  private deliver(subject: string, message: NatsMessageShape): void {
    for (const [pattern, receive] of this.subscriptions) {
      if (subject.startsWith(pattern.replace(/[*>]$/, ""))) receive(message)
    }
  }

  private answers(subject: string, payload: Uint8Array | undefined, reply: string): ReadonlyArray<NatsMessageShape> {
    if (subject.includes("STREAM.INFO"))
      return [messageOf(reply, JSON.stringify(this.instead ?? { created: `2026-01-01T00:00:0${this.created}Z` }), {})]
    const { seq } = JSON.parse(new TextDecoder().decode(payload)) as { seq: number }
    const replica = this.states[Math.max(0, this.states.length - 1 - this.behind)] ?? new Map<string, Kept>()
    const found = [...replica].filter(([, kept]) => kept.seq >= seq).toSorted(([, a], [, b]) => a.seq - b.seq)
    const messages = found.map(([key, kept]) =>
      messageOf(reply, kept.value ?? "", {
        "Nats-Subject": LEASE_PREFIX + key,
        "Nats-Sequence": String(kept.seq),
        ...(kept.value === null ? { "Nats-Marker-Reason": "MaxAge" } : {})
      })
    )
    return [...messages, messageOf(reply, "", { code: found.length === 0 ? 404 : 204 })]
  }
}

const messageOf = (
  subject: string,
  text: string,
  more: Readonly<Record<string, string | number>>
): NatsMessageShape => ({
  subject,
  data: new TextEncoder().encode(text),
  headers: { code: Number(more["code"] ?? 0), get: (name) => String(more[name] ?? "") }
})

export const apply = (bucket: Bucket, it: Change): void => {
  if (it.type === "own") bucket.write(shardKey(it.shard), SESSIONS[it.session] ?? "")
  else if (it.type === "beat") bucket.write(nodeKey(SESSIONS[it.session] ?? ""), "{}")
  else if (it.type === "end") bucket.write(nodeKey(SESSIONS[it.session] ?? ""), null)
  else if (it.type === "expire") bucket.expire(nodeKey(SESSIONS[it.session] ?? ""))
  else if (it.type === "vanish") bucket.vanish(shardKey(it.shard))
  else bucket.anew()
}

export const shown = (view: LeaseView) => ({
  owners: Array.from({ length: SHARD_COUNT }, (_, index) => view.ownerOf(index)).slice(0, SHARDS),
  sessions: view
    .sessions()
    .filter((one) => SESSIONS.includes(one))
    .toSorted()
})

export const standing = (bucket: Bucket) => ({
  owners: Array.from({ length: SHARDS }, (_, index) => bucket.now.get(shardKey(index))?.value ?? null),
  sessions: SESSIONS.filter((one) => (bucket.now.get(nodeKey(one))?.value ?? null) !== null)
})
