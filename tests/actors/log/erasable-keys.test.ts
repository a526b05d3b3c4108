/** A process forgets the key of an owner, also of one that was erased by another process and is never asked for again. */
import { randomBytes } from "node:crypto"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Effect } from "effect"
import { AccountKeys } from "../../../actors/kit/account-keys.ts"
import { onClock, type StandingClock, standingClock } from "../../harness/clock.ts"
import { waitFor } from "../../harness/index.ts"
import { type EngineBus, startBus } from "../engine/bus.ts"

const KEPT_MS = 60_000
const seed = randomBytes(32)

let bus: EngineBus
let collect: () => void
beforeAll(async () => {
  setFlagsFromString("--expose-gc")
  collect = runInNewContext("gc") as () => void
  bus = await startBus()
})
afterAll(() => bus?.stop())

const node = (clock: StandingClock) => {
  const keys = new AccountKeys(bus.nats, seed)
  const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(onClock(clock)(effect))
  return {
    make: (owner: string) => run(keys.make(owner)),
    of: (owner: string) => run(keys.of(owner)),
    erase: (owner: string) => run(keys.erase(owner))
  }
}

test("a key that another process erased is used for a minute at most, and is not in memory afterwards", async () => {
  const clock = standingClock()
  const [one, other] = [node(clock), node(clock)]
  const made = async () => new WeakRef(await one.make("gone"))
  const key = await made()
  await other.erase("gone")
  expect(await other.of("gone")).toBe(null)
  await clock.pass(KEPT_MS - 1)
  collect()
  expect(key.deref() === undefined).toBe(false)
  await clock.pass(1)
  const isCollected = (): boolean => {
    collect()
    return key.deref() === undefined
  }
  await waitFor(isCollected, { describe: "the key to leave the memory", deadlineMs: 10_000 })
  expect(await one.of("gone")).toBe(null)
})

test("a process that erased a key forgets it at once", async () => {
  const one = node(standingClock())
  await one.make("own")
  await one.erase("own")
  expect(await one.of("own")).toBe(null)
})

test("a key that is still in use is read again after a minute", async () => {
  const clock = standingClock()
  const one = node(clock)
  const first = await one.make("kept")
  await clock.pass(KEPT_MS - 1)
  expect(await one.of("kept")).toBe(first)
  await clock.pass(1)
  const again = await one.of("kept")
  expect(again).not.toBe(first)
  await clock.pass(KEPT_MS - 1)
  expect(await one.of("kept")).toBe(again)
})
