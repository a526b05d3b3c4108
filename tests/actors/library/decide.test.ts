/** What operators do about the library, as decisions and what they fold into: by example, and over any history. */
import fc from "fast-check"
import { expect, test } from "vitest"
import type { Decision } from "../../../actors/engine/definition.ts"
import {
  decideRemove,
  decideSeed,
  decideSet,
  evolveLibrary,
  type LibraryEvent,
  type LibraryState,
  NO_ENTRIES
} from "../../../actors/library/decide.ts"
import { ENTRIES_MAX, type EntryGiven, LIBRARY_KINDS } from "../../../schemas/library/fields.ts"

const ENTRY: EntryGiven = {
  slug: "sign-python",
  title: "Sign in Python",
  kind: "code",
  language: "Python",
  summary: "How to sign.",
  body: "## Keys\n\n\tOne.\n"
}

const after = (state: LibraryState, decision: Decision<LibraryEvent>): LibraryState => {
  if ("refused" in decision) throw new Error(decision.refused.message)
  return decision.events.reduce(evolveLibrary, state)
}
const outcomeOf = (decision: Decision<LibraryEvent>): unknown =>
  "refused" in decision ? (decision.refused.details?.["field"] ?? decision.refused.code) : "done"
const setting = (state: LibraryState, change: Partial<EntryGiven> = {}) => decideSet(state, { ...ENTRY, ...change })
const entries = (count: number): ReadonlyArray<EntryGiven> =>
  Array.from({ length: count }, (_, index) => ({ ...ENTRY, slug: `entry-${index}` }))

test("an entry that is set again keeps its id, and is no event where it is the same", () => {
  const first = setting(NO_ENTRIES)
  expect(first).toMatchObject({ reply: { id: 1, slug: "sign-python", changed: true } })
  const state = after(NO_ENTRIES, first)
  expect(setting(state)).toEqual({ events: [], reply: { id: 1, slug: "sign-python", changed: false } })
  for (const change of [{ title: "x" }, { kind: "tool" }, { language: null }, { summary: "x" }, { body: "x" }] as const)
    expect(setting(state, change)).toMatchObject({ events: [{ id: 1, ...change }], reply: { id: 1, changed: true } })
})

test("the state holds no text", () => {
  const body = "x".repeat(100_000)
  const state = after(NO_ENTRIES, setting(NO_ENTRIES, { body, title: "y".repeat(200) }))
  expect(JSON.stringify(state).length).toBeLessThan(200)
})

test("what was removed is gone; its slug may be taken again, its id never", () => {
  expect(outcomeOf(decideRemove(NO_ENTRIES, { slug: ENTRY.slug }))).toBe("not_found")
  const set = after(NO_ENTRIES, setting(NO_ENTRIES))
  const removed = after(set, decideRemove(set, { slug: ENTRY.slug }))
  expect(removed).toEqual({ last: 1, entries: [] })
  expect(setting(removed)).toMatchObject({ reply: { id: 2, changed: true } })
})

test.each<[string, Partial<EntryGiven>]>([
  ["slug", { slug: "" }],
  ["slug", { slug: "-a" }],
  ["slug", { slug: "A" }],
  ["slug", { slug: "a".repeat(65) }],
  ["slug", { slug: "a/b" }],
  ["title", { title: "" }],
  ["title", { title: " " }],
  ["title", { title: "a\nb" }],
  ["title", { title: "x".repeat(201) }],
  ["title", { title: "half \ud800" }],
  ["language", { language: "" }],
  ["language", { language: "Py\tthon" }],
  ["language", { language: "x".repeat(33) }],
  ["summary", { summary: "" }],
  ["summary", { summary: "x".repeat(301) }],
  ["summary", { summary: "a\u0000" }],
  ["body", { body: "" }],
  ["body", { body: " \n\t" }],
  ["body", { body: "\r\n" }],
  ["body", { body: "\u001b[31m" }],
  ["body", { body: "x".repeat(100_001) }]
])("%s: %j is refused", (field, change) => {
  expect(outcomeOf(setting(NO_ENTRIES, change))).toBe(field)
})

test.each<Partial<EntryGiven>>([
  { slug: "a" },
  { slug: `0${"-".repeat(63)}` },
  { title: "😀".repeat(200) },
  { language: null },
  { language: "C++" },
  { language: "C#" },
  { summary: "😀".repeat(300) },
  { body: "😀".repeat(100_000) }
])("%j is taken", (change) => {
  expect(outcomeOf(setting(NO_ENTRIES, change))).toBe("done")
})

test("there is an end to them; one that is there may still be changed", () => {
  const full = after(NO_ENTRIES, decideSeed(NO_ENTRIES, { entries: entries(ENTRIES_MAX) }, { seq: 0 }))
  expect(full.entries).toHaveLength(ENTRIES_MAX)
  expect(outcomeOf(setting(full))).toBe("slug")
  expect(outcomeOf(setting(full, { slug: "entry-7", title: "x" }))).toBe("done")
  expect(outcomeOf(setting(after(full, decideRemove(full, { slug: "entry-7" }))))).toBe("done")
})

test("the first entries come all at once, and only to a library that nobody has touched", () => {
  const given = { entries: entries(3) }
  const seeded = decideSeed(NO_ENTRIES, given, { seq: 0 })
  expect(seeded).toMatchObject({ reply: 3, events: [{ id: 1 }, { id: 2 }, { id: 3 }] })
  expect(decideSeed(NO_ENTRIES, given, { seq: 9 })).toEqual({ events: [], reply: 0 })
  expect(decideSeed(NO_ENTRIES, { entries: [...given.entries, ...given.entries] }, { seq: 0 })).toEqual(seeded)
  const bad = { entries: [...given.entries, { ...ENTRY, kind: "guide", title: "" } as const] }
  expect(outcomeOf(decideSeed(NO_ENTRIES, bad, { seq: 0 }))).toBe("title")
  expect(outcomeOf(decideSeed(NO_ENTRIES, { entries: entries(ENTRIES_MAX + 1) }, { seq: 0 }))).toBe("slug")
})

const slug = fc.constantFrom("a", "b", "c", "d")
const step = fc.oneof(
  fc.record({ set: slug, title: fc.constantFrom("x", "y"), kind: fc.constantFrom(...LIBRARY_KINDS) }),
  fc.record({ remove: slug })
)

test("whatever operators do, it is what a simple table would hold, and no id is given twice", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const table = new Map<string, string>()
      const given = new Set<number>()
      let state = NO_ENTRIES
      for (const one of steps) {
        if ("remove" in one) {
          const decision = decideRemove(state, { slug: one.remove })
          expect(outcomeOf(decision)).toBe(table.delete(one.remove) ? "done" : "not_found")
          if (!("refused" in decision)) state = after(state, decision)
          continue
        }
        const decision = setting(state, { slug: one.set, title: one.title, kind: one.kind })
        const is = `${one.title} ${one.kind}`
        const known = state.entries.find((entry) => entry.slug === one.set)
        if ("refused" in decision) throw new Error(decision.refused.message)
        expect(decision.reply?.changed).toBe(table.get(one.set) !== is)
        const id = decision.reply?.id ?? 0
        if (known === undefined) expect(given.has(id)).toBe(false)
        else expect(id).toBe(known.id)
        given.add(id)
        table.set(one.set, is)
        state = after(state, decision)
      }
      expect(state.entries.map((entry) => entry.slug).toSorted()).toEqual([...table.keys()].toSorted())
    })
  )
})
