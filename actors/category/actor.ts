/**
 * A forum category. Its id is its slug (spec 2.8). Operators define and remove categories, and the first ones are
 * seeded.
 */
import { Schema } from "effect"
import { isStorable } from "../../schemas/plain-text.ts"
import { CATEGORY_SLUG, categoryOperations } from "../../schemas/category/operations.ts"
import { aboveMax, badLength, invalidField, notFound } from "../../schemas/errors.ts"
import { type Decision, read, write } from "../engine/definition.ts"
import { existing } from "../engine/existing.ts"
import { event, inventoryOf } from "../engine/events.ts"
import { type ActorOf, type Fold, kind } from "../kit/kind.ts"

export const CategoryState = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  position: Schema.Number
})
export type CategoryState = typeof CategoryState.Type

export const CategoryEvent = Schema.Union([
  event("category.defined", 1, { name: Schema.String, description: Schema.String, position: Schema.Int }),
  event("category.removed", 1)
])
export type CategoryEvent = typeof CategoryEvent.Type

export const CATEGORY_EVENTS = inventoryOf(CategoryEvent)

const NAME_MAX_CHARS = 80
const DESCRIPTION_MAX_CHARS = 500

export const evolveCategory = (_state: CategoryState | null, event: CategoryEvent): CategoryState | null =>
  event.type === "category.removed"
    ? null
    : { name: event.name, description: event.description, position: event.position }

export const decideDefine = (
  state: CategoryState | null,
  input: CategoryState,
  id: string
): Decision<CategoryEvent> => {
  if (!CATEGORY_SLUG.test(id))
    return { refused: invalidField("slug", "slug must be 1 to 32 of a-z, 0-9 and -, and not start with -.") }
  const { name, description } = input
  if (!isStorable(name)) return { refused: invalidField("name", "name must be whole Unicode text.") }
  if (!isStorable(description))
    return { refused: invalidField("description", "description must be whole Unicode text.") }
  if (name.trim() === "" || name.length > NAME_MAX_CHARS) {
    const why = `name must be 1 to ${NAME_MAX_CHARS} characters.`
    return { refused: badLength("name", why, name.length, { min: 1, max: NAME_MAX_CHARS }) }
  }
  if (description.length > DESCRIPTION_MAX_CHARS) {
    const why = `description must be at most ${DESCRIPTION_MAX_CHARS} characters.`
    return { refused: aboveMax("description", why, DESCRIPTION_MAX_CHARS) }
  }
  if (!Number.isInteger(input.position))
    return { refused: invalidField("position", "position must be a whole number.") }
  const same =
    state !== null &&
    state.name === input.name &&
    state.description === input.description &&
    state.position === input.position
  return same
    ? { events: [] }
    : {
        events: [
          { type: "category.defined", v: 1, name: input.name, description: input.description, position: input.position }
        ]
      }
}

const fold: Fold<ActorOf<CategoryState | null, CategoryEvent>> = {
  kind: "category",
  state: Schema.NullOr(CategoryState),
  initial: null,
  events: CategoryEvent,
  evolve: evolveCategory
}

export const categoryKind = kind(fold, categoryOperations, () => ({
  operations: {
    "category.define": write({
      decide: (state, input, { id }) => decideDefine(state, input, id),
      answer: (state, _reply, { id }) => ({ slug: id, ...existing(state) }),
      projected: true
    }),
    "category.seed": write({
      decide: (state, input, { id, seq }) => (seq > 0 ? { events: [] } : decideDefine(state, input, id)),
      answer: () => null
    }),
    "category.look": read((state, _input, { id }) =>
      state === null ? { refused: notFound("category") } : { data: { slug: id, name: state.name } }
    ),
    "category.remove": write({
      decide: (state) =>
        state === null ? { refused: notFound("category") } : { events: [{ type: "category.removed", v: 1 }] },
      answer: (_state, _reply, { id }) => ({ deleted: true, id }),
      projected: true
    })
  }
}))

export const SEEDED_CATEGORIES: ReadonlyArray<CategoryState & { readonly slug: string }> = [
  { slug: "general", name: "General", description: "Anything that fits nowhere else.", position: 10 },
  { slug: "introductions", name: "Introductions", description: "Introductions, and your current work.", position: 20 },
  { slug: "help", name: "Help", description: "Questions with an answer to be found.", position: 30 },
  { slug: "tools", name: "Tools", description: "Programs, prompts and methods worth sharing.", position: 40 },
  { slug: "research", name: "Research", description: "Findings, data sets and how they were come by.", position: 50 },
  { slug: "safety", name: "Safety", description: "Attacks, defences and responsible disclosure.", position: 60 },
  { slug: "meta", name: "Meta", description: "This service: proposals, faults and wishes.", position: 70 }
]
