/** Actors that the log forgets: what is left of them folds, has no snapshot, and is never mistaken for the present. */
import fc from "fast-check"
import { Arbitrary, Effect, Schema } from "effect"
import { describe, expect, test } from "vitest"
import { KINDS } from "../../../actors/process/kinds.ts"
import { write } from "../../../actors/engine/definition.ts"
import { event } from "../../../actors/engine/events.ts"
import { foldCommit } from "../../../actors/engine/fold.ts"
import type { EventShape } from "../../../actors/log/commit.ts"
import { type ActorOf, kind, type KindParts } from "../../../actors/kit/kind.ts"
import { LIMITS } from "../../../schemas/limits.ts"
import { op } from "../../../schemas/operation.ts"
import { activationOf, writeOf } from "./alone.ts"
import { ModelLog, partsOver } from "./simulation.ts"

type Added = EventShape & { readonly type: "brief.added"; readonly token: string }

const declared = {
  "brief.add": op({ input: Schema.Struct({ token: Schema.String }), output: Schema.Array(Schema.String), askedBy: [] })
}

const KEPT_SECONDS = 60

const brief = kind<ActorOf<ReadonlyArray<string>, Added>, typeof declared>(
  {
    kind: "brief",
    ends: true,
    state: Schema.Array(Schema.String),
    initial: [],
    events: Schema.Union([event("brief.added", 1, { token: Schema.String })]),
    evolve: (state, { token }) => [...state, token]
  },
  declared,
  () => ({
    keepSeconds: () => KEPT_SECONDS,
    operations: {
      "brief.add": write({
        decide: (_state, { token }) => ({ events: [{ type: "brief.added", v: 1, token }] }),
        answer: (state) => state
      })
    }
  })
).make({} as KindParts)

const SUBJECT = "hub.evt.brief.a"

const world = () => {
  const log = new ModelLog()
  let saved = 0
  const snapshots = {
    load: () => Promise.resolve(null),
    save: () => Promise.resolve(void saved++),
    drop: () => Promise.resolve()
  }
  const activation = activationOf(brief, "a", { ...partsOver(log), now: () => 0, snapshots })
  const add = (id: string, token: string) =>
    activation.submit(
      { id, op: "brief.add", input: { token }, by: undefined, deadline: 1, trace: undefined },
      writeOf(brief, "brief.add")
    )
  return { log, activation, add, saved: () => saved }
}

describe("an actor of a kind that ends", () => {
  test("leaves no snapshot, however long its log", async () => {
    const { activation, add, saved } = world()
    for (let n = 0; n <= LIMITS.service.snapshot_every_commits * 2; n++) await add(`c${n}`, String(n))
    await activation.keepSnapshot()
    expect([activation.state, saved()]).toEqual([expect.arrayContaining(["0", "64"]), 0])
  })

  test("begins anew where the log has forgotten it, and repeats nothing of what stands there", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), async (forgets) => {
        const { log, add } = world()
        let expected: ReadonlyArray<string> = []
        for (const [n, forget] of forgets.entries()) {
          if (forget) {
            log.subjects.delete(SUBJECT)
            expected = []
          }
          expected = [...expected, String(n)]
          expect(await add(`c${n}`, String(n))).toEqual({ data: expected })
          // The same command again, while the log has it: answered, and not done twice.
          expect(await add(`c${n}`, String(n))).toEqual({ data: expected })
        }
        const entries = log.subjects.get(SUBJECT) ?? []
        expect(entries.map(({ commit }) => commit.events)).toEqual(
          expected.map((token) => [{ type: "brief.added", v: 1, token }])
        )
      })
    )
  })

  test("says in each append for how long it is kept", async () => {
    const { log, activation } = world()
    const kept: Array<number | undefined> = []
    const parts = partsOver(log)
    const watched = activationOf(brief, "a", {
      ...parts,
      log: {
        ...parts.log,
        append: (group) => (kept.push(...group.map((one) => one.keepSeconds)), parts.log.append(group))
      }
    })
    await watched.submit(
      { id: "c", op: "brief.add", input: { token: "x" }, by: undefined, deadline: 2, trace: undefined },
      writeOf(activation.definition, "brief.add")
    )
    expect(kept).toEqual([KEPT_SECONDS])
  })
})

const ENDING = KINDS.filter(({ fold }) => fold.ends === true)

test("the kinds that end are those of which nothing is promised for good", () => {
  expect(ENDING.map(({ fold }) => fold.kind).toSorted()).toEqual([
    "challenge",
    "delivery",
    "letter",
    "mail",
    "mail_notice",
    "mail_sending",
    "origin",
    "text"
  ])
})

describe.each(ENDING.map(({ fold, events }) => [fold.kind, fold, events] as const))("%s", (_kind, fold, events) => {
  test("folds whatever is left of its history", async () => {
    if (events === null) throw new Error("it has no events")
    const drawn = await Effect.runPromise(
      Arbitrary.sampleEffect(Arbitrary.schema(events as unknown as Schema.Codec<EventShape>), { count: 200 })
    )
    const at = 1_800_000_000_000
    for (let from = 0; from < drawn.length; from++) {
      const left = drawn.slice(from, from + 12)
      expect(foldCommit(fold, fold.initial, { at, events: left }, "1")).toBeDefined()
    }
  })
})
