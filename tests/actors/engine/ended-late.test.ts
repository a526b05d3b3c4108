/** A timer that comes when its actor has ended, or all but its last commits have, writes nothing. */
import { isDeepStrictEqual } from "node:util"
import { Arbitrary, Effect, type Schema } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { KINDS } from "../../../actors/process/kinds.ts"
import { FIRE } from "../../../actors/engine/timers.ts"
import { foldCommit } from "../../../actors/engine/fold.ts"
import type { EventShape } from "../../../actors/log/commit.ts"
import { JetStreamLog } from "../../../actors/log/event-log.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import { subjects } from "../../../schemas/subjects.ts"
import { type Client, startCluster, type TestCluster } from "./cluster.ts"

/** The kinds that end. */
const TIMERS: Readonly<Record<string, ReadonlyArray<string>>> = {
  challenge: ["erase"],
  delivery: ["retry"],
  letter: ["send", "overdue"],
  mail: ["expire"],
  mail_notice: ["again", "over"],
  mail_sending: ["retry"]
}
const EVENTS = 40
const AT = 1_700_000_000_000
const SEED = 7

let cluster: TestCluster
let client: Client
let log: JetStreamLog

beforeAll(async () => {
  cluster = await startCluster()
  await cluster.node(KINDS)
  client = await cluster.client("actors")
  await cluster.settled(client.view, 1)
  log = new JetStreamLog(machineClock, cluster.bus.nats, { batchMax: 100, queueMax: 1000 })
})
afterAll(() => cluster?.stop())

const fire = async (kind: string, actor: string): Promise<ReadonlyArray<string | undefined>> => {
  const answers = await Promise.all(
    (TIMERS[kind] ?? []).map((name) => client.ask({ kind, actor, op: FIRE, input: { name, at: AT } }))
  )
  expect(answers).not.toHaveLength(0)
  return answers.map(({ head }) => head.refused?.code)
}

/** Nobody sets timers of these. */
const UNTIMED = new Set(["origin", "text"])
const ENDING = KINDS.filter(({ fold }) => fold.ends === true && !UNTIMED.has(fold.kind))

describe.each(ENDING.map((kind) => [kind.fold.kind, kind] as const))("%s", (name, { fold, events }) => {
  test("of which the log has nothing stays nothing", async () => {
    for (const code of await fire(name, "7")) expect(code).toBeUndefined()
    expect(await log.lastSeq(subjects.event(name, "7"))).toBe(0)
  })

  test("of which the log has a last commit alone gets no other", async () => {
    if (events === null) throw new Error("it has no events")
    const drawn = await Effect.runPromise(
      Arbitrary.sampleEffect(Arbitrary.schema(events as unknown as Schema.Codec<EventShape>), {
        count: EVENTS,
        size: 2,
        seed: SEED
      })
    )
    // An event that makes a state by itself is a beginning.
    const isLater = (event: EventShape): boolean =>
      isDeepStrictEqual(foldCommit(fold, fold.initial, { at: AT, events: [event] }, "1"), fold.initial)
    for (const [index, event] of drawn.filter(isLater).entries()) {
      const subject = subjects.event(name, `${100 + index}`)
      const commit = { v: 1, id: `late ${index}`, op: "test", at: AT, events: [event] } as const
      const appended = await log.append([{ subject, expected: 0, commit }])
      expect(appended.ok).toBe(true)
      for (const code of await fire(name, `${100 + index}`)) expect(code).toBeUndefined()
      expect(await log.lastSeq(subject)).toBe(appended.ok ? appended.seqs[0] : 0)
    }
  })
})
