/**
 * A timer of a newer release waits until that release has its actor, though the older one knows the operation that
 * handles it.
 */
import { Schema } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { read, write } from "../../../actors/engine/definition.ts"
import { event } from "../../../actors/engine/events.ts"
import { ScheduledTimers } from "../../../actors/engine/timers.ts"
import { type ActorOf, kind, type Kind } from "../../../actors/kit/kind.ts"
import { Nothing, op } from "../../../schemas/operation.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { FiredTimer } from "../../../schemas/timer.ts"
import { waitFor } from "../../harness/index.ts"
import { dataOf, startCluster, type TestCluster } from "./cluster.ts"

const ACTORS = 8

const Rung = event("bell.rung", 1, { name: Schema.String })
const Names = Schema.Array(Schema.String)
const operations = {
  "bell.look": op({ input: Nothing, output: Names, askedBy: [] }),
  "bell.release": op({ input: Nothing, output: Names, askedBy: [] }),
  "bell.timer": op({ input: FiredTimer, output: Nothing, askedBy: [] })
}

/** A bell of a release that knows these timers. */
const bell = (...timers: ReadonlyArray<string>): Kind =>
  kind<ActorOf<typeof Names.Type, typeof Rung.Type>, typeof operations>(
    {
      kind: "bell",
      state: Names,
      initial: [],
      events: Schema.Union([Rung]),
      evolve: (state, { name }) => [...state, name]
    },
    operations,
    () => ({
      onTimer: Object.fromEntries(timers.map((name) => [name, "bell.timer"])),
      operations: {
        "bell.look": read((state) => ({ data: state })),
        "bell.release": read(() => ({ data: timers })),
        "bell.timer": write({
          decide: (_state, { name }) => ({ events: timers.includes(name) ? [{ type: "bell.rung", v: 1, name }] : [] }),
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

test("a timer that only the newer release knows is put off while the older one has its actor", async () => {
  const { nats, manager } = cluster.bus
  const older = await cluster.node([bell("dawn")])
  await cluster.node([bell("dawn", "dusk")])
  const { view, ask } = await cluster.client("actors")
  await cluster.settled(view, 2)
  const asked = async (id: string, about: "look" | "release") =>
    dataOf<ReadonlyArray<string>>(await ask({ kind: "bell", actor: id, op: `bell.${about}`, input: null }))
  const ofOlder: Array<string> = []
  for (let number = 0; ofOlder.length < ACTORS; number++)
    if ((await asked(`b${number}`, "release")).length === 1) ofOlder.push(`b${number}`)

  const timers = new ScheduledTimers(nats)
  const due = Date.now()
  for (const id of ofOlder) for (const name of ["dawn", "dusk"]) await timers.set("bell", id, name, due)
  const isPutOff = async (id: string): Promise<boolean> => {
    const last_by_subj = subjects.timerSet("bell", id, "dusk", String(due))
    const set = await manager.streams.getMessage(streams.timers, { last_by_subj })
    return set !== null && set.header.get("Hub-Timer-Put-Off") !== ""
  }
  for (const id of ofOlder) {
    // A shard may have moved to the newer release.
    const waits = async () => (await isPutOff(id)) || (await asked(id, "look")).includes("dusk")
    await waitFor(waits, { describe: `the timer of ${id} to be put off` })
    await waitFor(async () => (await asked(id, "look")).includes("dawn"), { describe: `the timer that both know` })
  }
  await older.stop()
  for (const id of ofOlder) {
    const rung = () => asked(id, "look")
    await waitFor(async () => (await rung()).length > 1, { describe: `${id} to ring for the newer timer` })
    expect((await rung()).toSorted()).toEqual(["dawn", "dusk"])
  }
})
