/** The commands of a commit that was set aside are found again, wherever the commit is by now. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import type { Kysely } from "kysely"
import { afterAll, beforeAll, expect, test } from "vitest"
import { commandsAgain } from "../../../actors/reactions/again.ts"
import { type Aside, asideOf, putAside } from "../../../actors/reactions/aside.ts"
import { react } from "../../../actors/reactions/reactor.ts"
import { keepMark } from "../../../actors/reactions/marks.ts"
import { feedsFor } from "../../../actors/projections/feed.ts"
import { type Database, openDatabase } from "../../../actors/tables/database.ts"
import type { Ask } from "../../../schemas/bus/frames.ts"
import { NO_TRACING } from "../../../schemas/runtime/trace/tracing.ts"
import { streams, subjects } from "../../../schemas/subjects.ts"
import { waitFor } from "../../harness/index.ts"
import { type EngineBus, startBus } from "../engine/bus.ts"
import { commitOf, processOn, seqOf } from "../log/processes.ts"
import { ripples } from "./pond.ts"

let bus: EngineBus
let db: Kysely<Database>
let folder: string
beforeAll(async () => {
  bus = await startBus()
  db = openDatabase(bus.servers.postgres.url)
  folder = await mkdtemp(join(tmpdir(), "again-"))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await db.destroy()
  await bus.stop()
})

const SET = ripples()

const process = () => processOn({ nats: bus.nats, manager: bus.manager, db, folder })

/** A parked command that follows from a commit which only the archive has. */
const parkedFromArchive = async (id: string): Promise<Aside> => {
  const { log, parts, runWith } = process()
  const subject = subjects.event("pebble", id)
  const commit = { ...commitOf(id), events: [{ type: "pebble.thrown", v: 1, into: "north", number: 1 }] }
  const seq = seqOf(await log.append([{ subject, expected: 0, commit }]))
  await runWith({ ...parts, kinds: ["pebble", "log"] })
  const { state } = await bus.manager.streams.info(streams.events, { subjects_filter: subject })
  expect(state.subjects ?? {}).toEqual({})
  const command = { op: "pond.ripple", kind: "pond", actor: "north", which: "pond.ripple-0" }
  return { seq, kind: "pebble", id, error: "unavailable", command }
}

test("the archive has the commit of a command that was set aside", async () => {
  const aside = await parkedFromArchive("archived")
  const { archive } = process()
  const told = { op: "pond.ripple", kind: "pond", actor: "north", input: { pebble: "archived", number: 1 } }
  expect(await commandsAgain(bus.nats, SET, aside, archive)).toMatchObject([{ told }])
  // Another actor's commit is none of its own.
  expect(await commandsAgain(bus.nats, SET, { ...aside, id: "another" }, archive)).toEqual([])
  expect(await commandsAgain(bus.nats, SET, { ...aside, seq: aside.seq + 10_000 }, archive)).toEqual([])
})

test("a parked command is carried out though its commit is only in the archive", async () => {
  const aside = await parkedFromArchive("parked")
  const { archive } = process()
  await putAside(bus.nats, SET.name, "parked", aside)
  await keepMark(bus.nats, SET.name, { seq: aside.seq, revision: 0 })
  const asked: Array<Ask> = []
  const parts = {
    nats: bus.nats,
    feed: feedsFor(bus.nats, NO_TRACING, archive)(streams.events),
    archive,
    ask: (ask: Ask) => {
      asked.push(ask)
      return Promise.resolve({ head: {}, body: new Uint8Array(0) })
    },
    reactions: SET,
    moved: () => undefined
  }
  const counts = { kept: 0, commits: 0, commands: 0, refused: 0, faults: 0 }
  const isTakenBack = async () => (await Effect.runPromise(asideOf(bus.nats, SET.name, "parked"))).length === 0
  const done = Effect.promise(() => waitFor(isTakenBack, { describe: "the parked command to be finished" }))
  await Effect.runPromise(
    Effect.scoped(
      Effect.raceFirst(
        react(parts, counts, () => undefined),
        done
      )
    )
  )
  expect(asked).toMatchObject([{ op: "pond.ripple", actor: "north", input: { pebble: "parked", number: 1 } }])
})
