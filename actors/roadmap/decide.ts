/** Decisions of operators on the roadmap's entries. Pure. */
import { Schema } from "effect"
import { codePointsUpTo } from "../../schemas/code-points.ts"
import { aboveMax, badLength, belowMin, invalidField, notFound, type Refusal } from "../../schemas/errors.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { isStorable } from "../../schemas/plain-text.ts"
import type { RoadmapChanged, RoadmapGiven } from "../../schemas/roadmap/operations.ts"
import { type RoadmapItem, roadmapFields } from "../../schemas/roadmap/records.ts"
import type { Decision } from "../engine/definition.ts"
import { event } from "../engine/events.ts"

/** Limited because all items are read in one answer of the bus. */
const ITEMS_MAX = 100
const DESCRIPTION_MAX_CHARS = 1000
const VERSION_MAX_CHARS = 32
const POSITION_MAX = 1_000_000

const Item = Schema.Struct({ id: Schema.Int, ...roadmapFields, updated_at: Schema.Number })
type Item = typeof Item.Type

/** `last`: the newest id. Ids are never used again. Times are in Unix ms. */
export const RoadmapState = Schema.Struct({ last: Schema.Int, items: Schema.Array(Item) })
export type RoadmapState = typeof RoadmapState.Type

export const EMPTY: RoadmapState = { last: 0, items: [] }

export const RoadmapEvent = Schema.Union([
  event("roadmap.item_set", 1, { id: Schema.Int, ...roadmapFields }),
  event("roadmap.item_removed", 1, { id: Schema.Int })
])
export type RoadmapEvent = typeof RoadmapEvent.Type

export const evolveRoadmap = (
  { last, items }: RoadmapState,
  told: RoadmapEvent,
  { at }: { readonly at: number }
): RoadmapState => {
  const others = items.filter(({ id }) => id !== told.id)
  if (told.type === "roadmap.item_removed") return { last, items: others }
  const { type: _type, v: _v, ...item } = told
  return { last: Math.max(last, told.id), items: [...others, { ...item, updated_at: at }] }
}

const textProblem = (field: string, text: string, min: number, max: number): Refusal | null => {
  if (!isStorable(text)) return invalidField(field, `${field} must be whole Unicode text.`)
  const chars = text.trim().length < min ? 0 : codePointsUpTo(text, max)
  return chars >= min && chars <= max
    ? null
    : badLength(field, `${field} must be ${min} to ${max} characters.`, chars, { min, max })
}

const problemOf = ({ title, description, version, thread_id, position }: RoadmapGiven): Refusal | null => {
  const wrong =
    textProblem("title", title, 1, LIMITS.limits.max_title_chars) ??
    textProblem("description", description, 0, DESCRIPTION_MAX_CHARS) ??
    (version === null ? null : textProblem("version", version, 1, VERSION_MAX_CHARS))
  if (wrong !== null) return wrong
  if (thread_id !== null && !(Number.isSafeInteger(thread_id) && thread_id > 0))
    return invalidField("thread_id", "thread_id must be the number of a thread.")
  const range = `position must be a whole number from 0 to ${POSITION_MAX}.`
  if (!Number.isInteger(position)) return invalidField("position", range)
  if (position > POSITION_MAX) return aboveMax("position", range, POSITION_MAX)
  return position < 0 ? belowMin("position", range, 0) : null
}

const set = (id: number, given: RoadmapGiven): Decision<RoadmapEvent, number> => {
  const refused = problemOf(given)
  return refused === null ? { events: [{ type: "roadmap.item_set", v: 1, id, ...given }], reply: id } : { refused }
}

/** The reply is the item's id. */
export const decideAdd = ({ last, items }: RoadmapState, given: RoadmapGiven): Decision<RoadmapEvent, number> =>
  items.length >= ITEMS_MAX
    ? { refused: aboveMax("title", `There are ${ITEMS_MAX} items already. Remove one first.`, ITEMS_MAX) }
    : set(last + 1, given)

export const decideChange = (
  { items }: RoadmapState,
  { id, change }: RoadmapChanged
): Decision<RoadmapEvent, number> => {
  const found = items.find((item) => item.id === id)
  if (found === undefined) return { refused: notFound("roadmap item") }
  const { id: _id, updated_at: _at, ...before } = found
  const same = Object.entries(change).every(([name, value]) =>
    Object.entries(before).some(([n, v]) => n === name && v === value)
  )
  return same ? { events: [], reply: id } : set(id, { ...before, ...change })
}

export const decideRemove = (
  { items }: RoadmapState,
  { id }: { readonly id: number }
): Decision<RoadmapEvent, number> =>
  items.some((item) => item.id === id)
    ? { events: [{ type: "roadmap.item_removed", v: 1, id }], reply: id }
    : { refused: notFound("roadmap item") }

const itemRecord = ({ updated_at, ...item }: Item): RoadmapItem => ({
  ...item,
  updated_at: new Date(updated_at).toISOString()
})

export const listed = ({ items }: RoadmapState): ReadonlyArray<RoadmapItem> =>
  items.toSorted((a, b) => a.position - b.position || a.id - b.id).map(itemRecord)

/** The item with this id, which was set just before. Throws if there is none. */
export const itemOf = ({ items }: RoadmapState, id: number): RoadmapItem => {
  const found = items.find((item) => item.id === id)
  if (found === undefined) throw new Error(`The roadmap has no item ${id}`)
  return itemRecord(found)
}
