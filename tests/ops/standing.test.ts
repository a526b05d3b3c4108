/**
 * Statuses by shared states, held against the fold of each actor's whole history: over the log of every older release,
 * and over histories drawn by lot that no service would write.
 */
import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { Arbitrary, Effect, type Schema } from "effect"
import { describe, expect, test } from "vitest"
import { KINDS } from "../../actors/process/kinds.ts"
import type { Commit, EventShape } from "../../actors/log/commit.ts"
import type { Stored } from "../../actors/log/stream-pages.ts"
import { subjects } from "../../schemas/subjects.ts"
import { StandingActors } from "../../ops/at/standing.ts"
import { openFills, statusOf } from "../../ops/at/statuses.ts"
import { ActorTable } from "../../ops/at/table.ts"
import { evolved, kindOf } from "../../ops/replay/fold.ts"
import { testFolder } from "../harness/index.ts"
import { seeded } from "../support/seed.ts"
import { type Entry, entriesOf, LOG_FILE } from "../upgrade/log.ts"
import { releases, unpacked } from "../upgrade/pack.ts"

/** Drawn of each type of event, on average. */
const EVENTS_OF_TYPE = 20
const ROUNDS = 40
/** Commits of a history, over so many actors. */
const HISTORY = 150
const ACTORS = 6

/** As JSON, with numbers that can be times. */
const asLogged = (event: EventShape): EventShape =>
  JSON.parse(JSON.stringify(event), (_, value: unknown) =>
    typeof value === "number" ? value % 1e12 : value
  ) as EventShape

const stored = ({ seq, kind, id, commit }: Entry): Stored => ({
  seq,
  subject: subjects.event(kind, id),
  data: Buffer.from(JSON.stringify(commit))
})

/** The same by folding every actor for itself, from its beginning. */
const whole = (entries: ReadonlyArray<Entry>) => {
  const states = new Map<string, { kind: string; id: string; state: unknown }>()
  for (const { kind, id, commit } of entries) {
    const fold = kindOf(kind)?.fold
    if (fold === undefined) throw new Error(`there is no kind ${kind}`)
    const before = states.get(`${kind} ${id}`)?.state ?? fold.initial
    states.set(`${kind} ${id}`, { kind, id, state: evolved(fold, id, before, { commit }) })
  }
  const counts: Record<string, Record<string, number>> = {}
  for (const { kind, state } of states.values()) {
    const status = statusOf(kind)?.(state) ?? ""
    const ofKind = (counts[kind] ??= {})
    ofKind[status] = (ofKind[status] ?? 0) + 1
  }
  const of = (kind: string) => [...states.values()].filter((one) => one.kind === kind)
  return {
    counts,
    open_fills: of("vault").flatMap(({ id, state }) =>
      openFills(state as never).map(({ fill, entry, status, expires_at }) => ({
        agent: id,
        fill,
        entry,
        status,
        expires_at
      }))
    )
  }
}

const standingOf = (entries: ReadonlyArray<Entry>) => {
  const standing = new StandingActors()
  for (const entry of entries) standing.read(stored(entry))
  return standing.standings
}

const RELEASES = await releases()

test.each(RELEASES)("the log that %s has left, at each tenth of it", async (release) => {
  const folder = join(await testFolder("standing"), "data")
  await unpacked(release, folder)
  const entries = entriesOf(await readFile(join(folder, LOG_FILE), "utf8"))
  await rm(folder, { recursive: true })
  expect(entries.length).toBeGreaterThan(500)
  for (let tenth = 1; tenth <= 10; tenth++) {
    const part = entries.slice(0, Math.floor((entries.length * tenth) / 10))
    const { counts, open_fills } = standingOf(part)
    expect({ counts, open_fills }).toEqual(whole(part))
  }
})

describe("histories drawn by lot", () => {
  const watched = KINDS.filter(({ fold }) => statusOf(fold.kind) !== undefined)

  test.each(watched.map((kind) => [kind.fold.kind, kind] as const))(
    "of the kind %s",
    async (name, { events, fold }) => {
      if (events === null) throw new Error(`${name} has no events`)
      const random = seeded(`standing ${name}`)
      const types = Object.keys(fold.events)
      const drawn = Arbitrary.sampleEffect(Arbitrary.schema(events as Schema.Codec<EventShape>), {
        count: EVENTS_OF_TYPE * types.length,
        size: 2,
        seed: random.seed
      })
      const pool = (await Effect.runPromise(drawn)).map(asLogged)
      expect(new Set(pool.map(({ type }) => type)).size).toBe(types.length)
      for (let round = 0; round < ROUNDS; round++) {
        const entries = Array.from({ length: HISTORY }, (_, at): Entry => {
          const commit: Commit = { v: 1, id: `c.${at}`, op: "drawn", at, events: [random.pick(pool)] }
          return { seq: at + 1, kind: name, id: String(random.between(1, ACTORS)), commit }
        })
        const { counts } = standingOf(entries)
        expect(counts, `round ${round}`).toEqual(whole(entries).counts)
      }
    }
  )
})

test("a table of many actors keeps each one's number, and takes each once", () => {
  const table = new ActorTable()
  const many = 200_000
  const name = (at: number): string => `hub.evt.vote.${at}-hx${(at * 7919).toString(36)}`
  const code = (at: number): number => 1 + (at % 60_000)
  for (let at = 0; at < many; at++)
    table.update(name(at), (before) => {
      if (before !== 0) throw new Error(`${name(at)} is there already`)
      return code(at)
    })
  for (let at = 0; at < many; at++)
    table.update(name(at), (before) => {
      if (before !== code(at)) throw new Error(`${name(at)} has ${before}`)
      return before
    })
})

test("a table refuses one actor more than it may have, and still takes those that it has", () => {
  const table = new ActorTable(10_000)
  for (let at = 0; at < 10_000; at++) table.update(`hub.evt.agent.${at}`, () => 1)
  expect(() => table.update("hub.evt.agent.10000", () => 1)).toThrow("more than 10000 actors")
  table.update("hub.evt.agent.9999", (before) => {
    expect(before).toBe(1)
    return 2
  })
})
