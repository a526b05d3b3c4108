/**
 * Pure decisions of operators on the library's entries. The state has only a digest of each entry's content; the
 * content is in the log and the table.
 */
import { createHash } from "node:crypto"
import { Schema } from "effect"
import { aboveMax, invalidField, notFound, type Refusal } from "../../schemas/errors.ts"
import { ENTRIES_MAX, entryFields, type EntryGiven, entryProblem } from "../../schemas/library/fields.ts"
import type { Decision } from "../engine/definition.ts"
import { event } from "../engine/events.ts"

const Known = Schema.Struct({ id: Schema.Int, slug: Schema.String, digest: Schema.String })

/** `last`: the newest id. Ids are never used again. */
export const LibraryState = Schema.Struct({ last: Schema.Int, entries: Schema.Array(Known) })
export type LibraryState = typeof LibraryState.Type

export const NO_ENTRIES: LibraryState = { last: 0, entries: [] }

export const LibraryEvent = Schema.Union([
  event("library.entry_set", 1, { id: Schema.Int, ...entryFields }),
  event("library.entry_removed", 1, { id: Schema.Int, slug: Schema.String })
])
export type LibraryEvent = typeof LibraryEvent.Type

const digestOf = ({ title, kind, language, summary, body }: EntryGiven): string =>
  createHash("sha256")
    .update(JSON.stringify([title, kind, language, summary, body]))
    .digest("base64")

export const evolveLibrary = ({ last, entries }: LibraryState, told: LibraryEvent): LibraryState => {
  const { id, slug } = told
  if (told.type === "library.entry_removed") return { last, entries: entries.filter((known) => known.id !== id) }
  const entry = { id, slug, digest: digestOf(told) }
  return entries.some((known) => known.id === id)
    ? { last, entries: entries.map((known) => (known.id === id ? entry : known)) }
    : { last: Math.max(last, id), entries: [...entries, entry] }
}

export interface EntrySet {
  readonly id: number
  readonly slug: string
  readonly changed: boolean
}

const tooMany: Refusal = aboveMax("slug", `There are ${ENTRIES_MAX} entries already. Remove one first.`, ENTRIES_MAX)

/** Setting an entry to the values that it already has makes no event. */
export const decideSet = ({ last, entries }: LibraryState, given: EntryGiven): Decision<LibraryEvent, EntrySet> => {
  const wrong = entryProblem(given)
  if (wrong !== null) return { refused: invalidField(wrong.field, wrong.problem, wrong.bound) }
  const { slug } = given
  const known = entries.find((entry) => entry.slug === slug)
  if (known?.digest === digestOf(given)) return { events: [], reply: { id: known.id, slug, changed: false } }
  if (known === undefined && entries.length >= ENTRIES_MAX) return { refused: tooMany }
  const id = known?.id ?? last + 1
  return { events: [{ type: "library.entry_set", v: 1, id, ...given }], reply: { id, slug, changed: true } }
}

/** `seq`: the sequence of the library's last commit. Entries that an operator has made or removed stay as they are. */
export const decideSeed = (
  state: LibraryState,
  { entries }: { readonly entries: ReadonlyArray<EntryGiven> },
  { seq }: { readonly seq: number }
): Decision<LibraryEvent, number> => {
  if (seq > 0) return { events: [], reply: 0 }
  const events: Array<LibraryEvent> = []
  let seeded = state
  for (const given of entries) {
    const decision = decideSet(seeded, given)
    if ("refused" in decision) return decision
    events.push(...decision.events)
    seeded = decision.events.reduce(evolveLibrary, seeded)
  }
  return { events, reply: events.length }
}

export const decideRemove = (
  { entries }: LibraryState,
  { slug }: { readonly slug: string }
): Decision<LibraryEvent, string> => {
  const known = entries.find((entry) => entry.slug === slug)
  return known === undefined
    ? { refused: notFound("library entry") }
    : { events: [{ type: "library.entry_removed", v: 1, id: known.id, slug }], reply: slug }
}
