/**
 * A watcher of the lease bucket against replicas that are behind, answers that are lost, keys that vanish without a
 * word and a bucket that is made anew, under a clock of the test's own. Against a real nats-server:
 * tests/edge/leases.test.ts.
 */
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { LEASE_PREFIX, LeaseView, nodeKey, shardKey } from "../../schemas/runtime/bus/lease-view.ts"
import { LeaseWatch } from "../../schemas/runtime/bus/lease-watch.ts"
import type { NatsMessageShape, NatsShape } from "../../schemas/runtime/bus/transport.ts"
import { SHARD_COUNT } from "../../schemas/subjects.ts"

const SESSIONS = ["s0", "s1", "s2"]
const SHARDS = 4
const BEAT_MS = 250
const ANSWER_MS = 3
/** Two sweeps and what they take. */
const LONG_MS = 12_000

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
const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.record({ after: fc.nat(700), change, behind: fc.nat(6), loses: fc.boolean() }),
  { minLength: 1, maxLength: 25 }
)

interface Kept {
  readonly seq: number
  readonly value: string | null
}

/** The bucket as it stood after each change, so that a replica may be asked for an older one. */
class Bucket {
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

  readonly nats: NatsShape = {
    isClosed: () => this.closed,
    subscribe: (subject, { callback }) => {
      this.subscriptions.set(subject, (message) => callback(null, message))
      return { unsubscribe: () => void this.subscriptions.delete(subject) }
    },
    publish: (subject, payload, options) => {
      const reply = options?.reply ?? ""
      const answers = this.absent ? [messageOf(reply, "", { code: 503 })] : this.answers(subject, payload, reply)
      if (!this.loses) setTimeout(() => answers.forEach((message) => this.deliver(reply, message)), ANSWER_MS)
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

const apply = (bucket: Bucket, it: Change): void => {
  if (it.type === "own") bucket.write(shardKey(it.shard), SESSIONS[it.session] ?? "")
  else if (it.type === "beat") bucket.write(nodeKey(SESSIONS[it.session] ?? ""), "{}")
  else if (it.type === "end") bucket.write(nodeKey(SESSIONS[it.session] ?? ""), null)
  else if (it.type === "expire") bucket.expire(nodeKey(SESSIONS[it.session] ?? ""))
  else if (it.type === "vanish") bucket.vanish(shardKey(it.shard))
  else bucket.anew()
}

const shown = (view: LeaseView) => ({
  owners: Array.from({ length: SHARD_COUNT }, (_, index) => view.ownerOf(index)).slice(0, SHARDS),
  sessions: view
    .sessions()
    .filter((one) => SESSIONS.includes(one))
    .toSorted()
})

const standing = (bucket: Bucket) => ({
  owners: Array.from({ length: SHARDS }, (_, index) => bucket.now.get(shardKey(index))?.value ?? null),
  sessions: SESSIONS.filter((one) => (bucket.now.get(nodeKey(one))?.value ?? null) !== null)
})

const watching = (bucket: Bucket) => {
  const view = new LeaseView()
  const problems: Array<unknown> = []
  const watch = new LeaseWatch({
    nats: bucket.nats,
    inbox: "_INBOX.test",
    view,
    onProblem: (problem) => problems.push(problem)
  })
  return { view, watch, problems }
}

describe("a watcher of the leases", () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it("comes to see what stands there, whatever was late, lost or never said", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const bucket = new Bucket()
        const { view, watch, problems } = watching(bucket)
        const started = watch.start()
        for (const step of script) {
          bucket.behind = step.behind
          bucket.loses = step.loses
          apply(bucket, step.change)
          await vi.advanceTimersByTimeAsync(step.after)
        }
        bucket.behind = 0
        bucket.loses = false
        // A node beats all the time: what has vanished is seen to be older than that.
        const beats = setInterval(() => bucket.write(nodeKey("another"), "{}"), BEAT_MS)
        await vi.advanceTimersByTimeAsync(LONG_MS)
        await started
        expect(shown(view)).toEqual(standing(bucket))
        expect(problems).toEqual([])
        watch.stop()
        clearInterval(beats)
        await vi.advanceTimersByTimeAsync(LONG_MS)
        expect(vi.getTimerCount()).toBe(0)
      }),
      { numRuns: 60 }
    )
  })

  it("hears of a new owner at once, and of a beat with the next read", async () => {
    const bucket = new Bucket()
    bucket.write(nodeKey("s0"), "{}")
    const { view, watch } = watching(bucket)
    const started = watch.start()
    await vi.advanceTimersByTimeAsync(1_000)
    await started
    bucket.write(shardKey(2), "s0")
    await vi.advanceTimersByTimeAsync(2 * ANSWER_MS + 10)
    expect(view.ownerOf(2)).toBe("s0")
    watch.stop()
    await vi.advanceTimersByTimeAsync(1_000)
  })

  it("does not forget what the replica that answers has not heard of yet", async () => {
    const bucket = new Bucket()
    bucket.write(nodeKey("s0"), "{}")
    const { view, watch } = watching(bucket)
    const started = watch.start()
    await vi.advanceTimersByTimeAsync(100)
    await started
    bucket.write(shardKey(1), "s0")
    await vi.advanceTimersByTimeAsync(300)
    bucket.behind = 1
    await vi.advanceTimersByTimeAsync(LONG_MS)
    expect(view.ownerOf(1)).toBe("s0")
    watch.stop()
    await vi.advanceTimersByTimeAsync(1_000)
  })

  it("does not go back to what a replica that is behind still has", async () => {
    const bucket = new Bucket()
    bucket.write(shardKey(1), "s0")
    const { view, watch } = watching(bucket)
    void watch.start()
    await vi.advanceTimersByTimeAsync(300)
    bucket.write(shardKey(1), "s1")
    await vi.advanceTimersByTimeAsync(300)
    const owners: Array<string | null> = []
    view.onChange((index) => owners.push(view.ownerOf(index)))
    bucket.behind = 1
    await vi.advanceTimersByTimeAsync(LONG_MS)
    expect([view.ownerOf(1), owners]).toEqual(["s1", []])
    watch.stop()
    await vi.advanceTimersByTimeAsync(1_000)
  })

  it("believes a bucket that was made anew, although its sequences are lower", async () => {
    const bucket = new Bucket()
    for (const index of [0, 1, 2]) bucket.write(shardKey(index), "s0")
    const { view, watch } = watching(bucket)
    void watch.start()
    await vi.advanceTimersByTimeAsync(300)
    expect(view.ownerOf(2)).toBe("s0")
    bucket.anew()
    bucket.write(shardKey(2), "s1")
    await vi.advanceTimersByTimeAsync(LONG_MS)
    expect([0, 1, 2].map((index) => view.ownerOf(index))).toEqual([null, null, "s1"])
    watch.stop()
    await vi.advanceTimersByTimeAsync(1_000)
  })

  it.each([{ error: { code: 503, description: "no leader" } }, { error: { code: 404 } }, {}])(
    "forgets nothing because of %j",
    async (said) => {
      const bucket = new Bucket()
      bucket.write(shardKey(0), "s0")
      const { view, watch, problems } = watching(bucket)
      void watch.start()
      await vi.advanceTimersByTimeAsync(300)
      const owners: Array<string | null> = []
      view.onChange((index) => owners.push(view.ownerOf(index)))
      bucket.instead = said
      await vi.advanceTimersByTimeAsync(LONG_MS)
      expect([view.ownerOf(0), owners, problems]).toEqual(["s0", [], []])
      bucket.instead = null
      bucket.write(shardKey(0), "s1")
      await vi.advanceTimersByTimeAsync(1_000)
      expect(view.ownerOf(0)).toBe("s1")
      watch.stop()
      await vi.advanceTimersByTimeAsync(1_000)
    }
  )

  it("asks again at once over a connection that was renewed", async () => {
    const bucket = new Bucket()
    bucket.write(shardKey(0), "s0")
    const { view, watch } = watching(bucket)
    void watch.start()
    await vi.advanceTimersByTimeAsync(1_000)
    bucket.loses = true
    await vi.advanceTimersByTimeAsync(3_000)
    bucket.expire(shardKey(0))
    bucket.loses = false
    watch.renewed()
    await vi.advanceTimersByTimeAsync(10 + 3 * ANSWER_MS)
    expect(view.ownerOf(0)).toBeNull()
    watch.stop()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  it("waits for a bucket that is not there, and ends with its connection", async () => {
    const bucket = new Bucket()
    bucket.absent = true
    bucket.write(shardKey(0), "s0")
    const { view, watch, problems } = watching(bucket)
    let complete = false
    void watch.start().then(() => {
      complete = true
    })
    await vi.advanceTimersByTimeAsync(5_000)
    expect([complete, view.ownerOf(0)]).toEqual([false, null])
    bucket.absent = false
    await vi.advanceTimersByTimeAsync(1_000)
    expect([complete, view.ownerOf(0)]).toEqual([true, "s0"])
    bucket.closed = true
    await vi.advanceTimersByTimeAsync(1_000)
    expect(vi.getTimerCount()).toBe(0)
    expect(problems).toEqual([])
  })
})
