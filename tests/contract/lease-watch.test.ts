/**
 * A watcher of the lease bucket against replicas that are behind, answers that are lost, keys that vanish without a
 * word and a bucket that is made anew, under a clock of the test's own. Against a real nats-server:
 * tests/edge/leases.test.ts.
 */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { every } from "../../schemas/runtime/clock.ts"
import { standingClock } from "../harness/clock.ts"
import { LeaseView, nodeKey, shardKey } from "../../schemas/runtime/bus/lease-view.ts"
import { LeaseWatch } from "../../schemas/runtime/bus/lease-watch.ts"
import { BEAT_MS, ANSWER_MS, steps, Bucket, apply, shown, standing } from "./lease-bucket.ts"

/** Two sweeps and what they take. */
const LONG_MS = 12_000

const clock = standingClock()

const watching = (bucket: Bucket) => {
  const view = new LeaseView()
  const problems: Array<unknown> = []
  const watch = new LeaseWatch({
    clock,
    nats: bucket.nats,
    inbox: "_INBOX.test",
    view,
    onProblem: (problem) => problems.push(problem)
  })
  return { view, watch, problems }
}

describe("a watcher of the leases", () => {
  it("comes to see what stands there, whatever was late, lost or never said", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const bucket = new Bucket(clock)
        const { view, watch, problems } = watching(bucket)
        const started = watch.start()
        for (const step of script) {
          bucket.behind = step.behind
          bucket.loses = step.loses
          apply(bucket, step.change)
          await clock.pass(step.after)
        }
        bucket.behind = 0
        bucket.loses = false
        // A node beats all the time: what has vanished is seen to be older than that.
        const beats = every(clock, BEAT_MS, () => bucket.write(nodeKey("another"), "{}"))
        await clock.pass(LONG_MS)
        await started
        expect(shown(view)).toEqual(standing(bucket))
        expect(problems).toEqual([])
        watch.stop()
        beats()
        await clock.pass(LONG_MS)
        expect(clock.waits().length).toBe(0)
      }),
      { numRuns: 60 }
    )
  })

  it("hears of a new owner at once, and of a beat with the next read", async () => {
    const bucket = new Bucket(clock)
    bucket.write(nodeKey("s0"), "{}")
    const { view, watch } = watching(bucket)
    const started = watch.start()
    await clock.pass(1_000)
    await started
    bucket.write(shardKey(2), "s0")
    await clock.pass(2 * ANSWER_MS + 10)
    expect(view.ownerOf(2)).toBe("s0")
    watch.stop()
    await clock.pass(1_000)
  })

  it("does not forget what the replica that answers has not heard of yet", async () => {
    const bucket = new Bucket(clock)
    bucket.write(nodeKey("s0"), "{}")
    const { view, watch } = watching(bucket)
    const started = watch.start()
    await clock.pass(100)
    await started
    bucket.write(shardKey(1), "s0")
    await clock.pass(300)
    bucket.behind = 1
    await clock.pass(LONG_MS)
    expect(view.ownerOf(1)).toBe("s0")
    watch.stop()
    await clock.pass(1_000)
  })

  it("does not go back to what a replica that is behind still has", async () => {
    const bucket = new Bucket(clock)
    bucket.write(shardKey(1), "s0")
    const { view, watch } = watching(bucket)
    void watch.start()
    await clock.pass(300)
    bucket.write(shardKey(1), "s1")
    await clock.pass(300)
    const owners: Array<string | null> = []
    view.onChange((index) => owners.push(view.ownerOf(index)))
    bucket.behind = 1
    await clock.pass(LONG_MS)
    expect([view.ownerOf(1), owners]).toEqual(["s1", []])
    watch.stop()
    await clock.pass(1_000)
  })

  it("believes a bucket that was made anew, although its sequences are lower", async () => {
    const bucket = new Bucket(clock)
    for (const index of [0, 1, 2]) bucket.write(shardKey(index), "s0")
    const { view, watch } = watching(bucket)
    void watch.start()
    await clock.pass(300)
    expect(view.ownerOf(2)).toBe("s0")
    bucket.anew()
    bucket.write(shardKey(2), "s1")
    await clock.pass(LONG_MS)
    expect([0, 1, 2].map((index) => view.ownerOf(index))).toEqual([null, null, "s1"])
    watch.stop()
    await clock.pass(1_000)
  })

  it.each([{ error: { code: 503, description: "no leader" } }, { error: { code: 404 } }, {}])(
    "forgets nothing because of %j",
    async (said) => {
      const bucket = new Bucket(clock)
      bucket.write(shardKey(0), "s0")
      const { view, watch, problems } = watching(bucket)
      void watch.start()
      await clock.pass(300)
      const owners: Array<string | null> = []
      view.onChange((index) => owners.push(view.ownerOf(index)))
      bucket.instead = said
      await clock.pass(LONG_MS)
      expect([view.ownerOf(0), owners, problems]).toEqual(["s0", [], []])
      bucket.instead = null
      bucket.write(shardKey(0), "s1")
      await clock.pass(1_000)
      expect(view.ownerOf(0)).toBe("s1")
      watch.stop()
      await clock.pass(1_000)
    }
  )

  it("asks again at once over a connection that was renewed", async () => {
    const bucket = new Bucket(clock)
    bucket.write(shardKey(0), "s0")
    const { view, watch } = watching(bucket)
    void watch.start()
    await clock.pass(1_000)
    bucket.loses = true
    await clock.pass(3_000)
    bucket.expire(shardKey(0))
    bucket.loses = false
    watch.renewed()
    await clock.pass(10 + 3 * ANSWER_MS)
    expect(view.ownerOf(0)).toBeNull()
    watch.stop()
    await clock.pass(1_000)
    expect(clock.waits().length).toBe(0)
  })

  it("waits for a bucket that is not there, and ends with its connection", async () => {
    const bucket = new Bucket(clock)
    bucket.absent = true
    bucket.write(shardKey(0), "s0")
    const { view, watch, problems } = watching(bucket)
    let complete = false
    void watch.start().then(() => {
      complete = true
    })
    await clock.pass(5_000)
    expect([complete, view.ownerOf(0)]).toEqual([false, null])
    bucket.absent = false
    await clock.pass(1_000)
    expect([complete, view.ownerOf(0)]).toEqual([true, "s0"])
    bucket.closed = true
    await clock.pass(1_000)
    expect(clock.waits().length).toBe(0)
    expect(problems).toEqual([])
  })
})
