/**
 * Two releases side by side under load, as in a rolling deployment: the newer has an operation more on a kind that both
 * have, and a kind more, with timers. Nothing is lost, nothing done twice, nothing said not to exist.
 */
import { Schema } from "effect"
import { setTimeout as delay } from "node:timers/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { isDue, read, write } from "../../../actors/engine/definition.ts"
import type { EventShape } from "../../../actors/log/commit.ts"
import { event, type EventUnion } from "../../../actors/engine/events.ts"
import { type ActorOf, type Fold, type Kind, kind, type Operating } from "../../../actors/kit/kind.ts"
import type { Answer } from "../../../schemas/runtime/bus/asker.ts"
import { Nothing, op } from "../../../schemas/operation.ts"
import { FiredTimer } from "../../../schemas/timer.ts"
import { shardOf } from "../../../schemas/subjects.ts"
import { waitFor } from "../../harness/index.ts"
import { dataOf, startCluster, type TestCluster } from "./cluster.ts"

const ACTORS = 40
const ROUNDS = 12
/** Asked again after that, because the shard may have gone to the older release. The other asks wait for its end. */
const STAND_WITHIN_MS = 2_000

type Moved = EventShape & { readonly type: "ledger.added" | "ledger.taken"; readonly by: number }

const ADDED = event("ledger.added", 1, { by: Schema.Int })

const By = Schema.Struct({ by: Schema.Int })
const OLDER = {
  "ledger.stand": op({ input: Nothing, output: Schema.Number, askedBy: [] }),
  "ledger.add": op({ input: By, output: Nothing, askedBy: [] })
}
const NEWER = { ...OLDER, "ledger.take": op({ input: By, output: Nothing, askedBy: [] }) }

type Ledger = ActorOf<number, Moved>
const older: Operating<typeof OLDER, Ledger> = {
  "ledger.stand": read((state) => ({ data: state })),
  "ledger.add": write({
    decide: (_state, { by }) => ({ events: [{ type: "ledger.added", v: 1, by }] }),
    answer: () => null
  })
}
const newer: Operating<typeof NEWER, Ledger> = {
  ...older,
  "ledger.take": write({
    decide: (_state, { by }) => ({ events: [{ type: "ledger.taken", v: 1, by }] }),
    answer: () => null
  })
}

const ledgerOf = (events: EventUnion): Fold<Ledger> => ({
  kind: "ledger",
  state: Schema.Number,
  initial: 0,
  events,
  evolve: (state, event) => (event.type === "ledger.added" ? state + event.by : state - event.by)
})

const olderLedger = kind(ledgerOf(Schema.Union([ADDED])), OLDER, () => ({ operations: older }))
const newerLedger = kind(ledgerOf(Schema.Union([ADDED, event("ledger.taken", 1, { by: Schema.Int })])), NEWER, () => ({
  operations: newer
}))

interface Clock {
  readonly due: number | null
  readonly struck: number
}
type Ticked = EventShape & ({ readonly type: "clock.set"; readonly due: number } | { readonly type: "clock.struck" })

const clockOperations = {
  "clock.stand": op({
    input: Nothing,
    output: Schema.Struct({ due: Schema.NullOr(Schema.Number), struck: Schema.Number }),
    askedBy: []
  }),
  "clock.set": op({ input: Nothing, output: Nothing, askedBy: [] }),
  "clock.strike": op({ input: FiredTimer, output: Nothing, askedBy: [] })
}

const clock: Kind = kind<ActorOf<Clock, Ticked>, typeof clockOperations>(
  {
    kind: "clock",
    state: Schema.Struct({ due: Schema.NullOr(Schema.Number), struck: Schema.Number }),
    initial: { due: null, struck: 0 },
    events: Schema.Union([event("clock.set", 1, { due: Schema.Number }), event("clock.struck", 1)]),
    evolve: (state, event) =>
      event.type === "clock.set" ? { ...state, due: event.due } : { due: null, struck: state.struck + 1 }
  },
  clockOperations,
  () => ({
    onTimer: { strike: "clock.strike" },
    operations: {
      "clock.stand": read((state) => ({ data: state })),
      "clock.set": write({
        decide: (_state, _input, { at }) => ({
          events: [{ type: "clock.set", v: 1, due: at + 200 }],
          timers: [{ name: "strike", at: at + 200 }]
        }),
        answer: () => null
      }),
      "clock.strike": write({
        decide: (state, fired) =>
          state.due === null || !isDue(fired, state.due)
            ? { events: [] }
            : { events: [{ type: "clock.struck", v: 1 }] },
        answer: () => null
      })
    }
  })
)

let cluster: TestCluster
beforeAll(async () => {
  cluster = await startCluster()
})
afterAll(() => cluster?.stop())

test("a rolling deployment loses and doubles nothing", async () => {
  const olderNode = await cluster.node([olderLedger])
  await cluster.node([newerLedger, clock])
  const { view, ask: asked } = await cluster.client("actors")
  await cluster.settled(view, 2)
  const ask = (kindName: string, actor: string, op: string, input: unknown, patienceMs?: number): Promise<Answer> =>
    asked({ kind: kindName, actor, op, input }, patienceMs)
  const ids = Array.from({ length: ACTORS }, (_, index) => `a${index}`)
  /**
   * The older release refuses its kind's newer operation, and the kind that it does not have. A shard may change hands
   * between the two questions; then another actor is tried.
   */
  const refusedByOlder = async () => {
    for (const id of ids) {
      const { head } = await ask("ledger", id, "ledger.take", { by: 0 }, 300)
      if (head.refused === undefined) continue
      const other = await ask("clock", id, "clock.stand", null, 300)
      if (other.head.refused?.code === "unavailable") return { id, head }
    }
    return undefined
  }
  const ofOlder = await waitFor(refusedByOlder, { describe: "an actor of the older release" })
  expect(ofOlder.head.refused).toMatchObject({ code: "unavailable", retryAfter: expect.any(Number) })

  const answers: Array<Promise<Answer>> = []
  for (let round = 0; round < ROUNDS; round++) {
    for (const id of ids) {
      answers.push(ask("ledger", id, "ledger.add", { by: 3 }))
      answers.push(ask("ledger", id, "ledger.take", { by: 1 }))
      if (round === 0) answers.push(ask("clock", id, "clock.set", null))
    }
    await delay(20)
  }
  // What the newer one has answered by now is in its logs; timers have fired, at either.
  const struckBefore = await waitFor(
    async () => {
      // A session that was late has ended, and its shards were divided anew.
      const older = await refusedByOlder()
      if (older === undefined) return undefined
      const stands = await Promise.all(
        ids
          .filter((id) => view.ownerOf(shardOf(id)) !== view.ownerOf(shardOf(older.id)))
          .map((id) => ask("clock", id, "clock.stand", null, STAND_WITHIN_MS))
      )
      // One that the older release owns by now is not answered.
      const struck = stands.every((stand) => stand.head.refused === undefined && dataOf<Clock>(stand).struck === 1)
      return struck ? stands.length : undefined
    },
    { describe: "timers of the new kind while the older release takes some of them" }
  )
  expect(struckBefore).toBeGreaterThan(0)

  await olderNode.stop()
  for (const { head } of await Promise.all(answers)) expect(head.refused).toBeUndefined()
  const standOf = async (kindName: string, id: string) => dataOf(await ask(kindName, id, `${kindName}.stand`, null))
  for (const id of ids) expect(await standOf("ledger", id), id).toBe(ROUNDS * 2)
  await waitFor(
    async () =>
      (await Promise.all(ids.map((id) => standOf("clock", id)))).every((state) => (state as Clock).struck === 1),
    { describe: "every timer, once" }
  )
  // Nothing of it is left to fire again.
  await waitFor(
    async () => {
      const { num_pending, num_ack_pending } = await cluster.bus.manager.consumers.info("HUB_TIMERS", "timers")
      const subjects = Object.keys(
        (await cluster.bus.manager.streams.info("HUB_TIMERS", { subjects_filter: "hub.timer.set.>" })).state.subjects ??
          {}
      )
      return num_pending + num_ack_pending + subjects.length === 0
    },
    { describe: "no timer left" }
  )
  for (const id of ids) expect(await standOf("clock", id), id).toMatchObject({ struck: 1 })
})
