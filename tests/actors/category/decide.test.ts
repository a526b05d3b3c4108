/** Decisions on a forum category. */
import { expect, test } from "vitest"
import { type CategoryEvent, decideDefine, evolveCategory, SEEDED_CATEGORIES } from "../../../actors/category/actor.ts"
import type { Decision } from "../../../actors/engine/definition.ts"

const input = { name: "Name", description: "What it is about.", position: 10 }
const fieldOf = (decision: Decision<CategoryEvent>): unknown =>
  "refused" in decision ? decision.refused.details?.["field"] : "none"

test("is defined, defined anew, and left alone when nothing changes", () => {
  const defined = { type: "category.defined", v: 1, ...input } as const
  expect(decideDefine(null, input, "slug")).toEqual({ events: [defined] })
  const state = evolveCategory(null, defined)
  expect(state).toEqual(input)
  expect(decideDefine(state, input, "slug")).toEqual({ events: [] })
  expect(decideDefine(state, { ...input, position: 11 }, "slug")).toEqual({ events: [{ ...defined, position: 11 }] })
  expect(evolveCategory(state, { type: "category.removed", v: 1 })).toBeNull()
})

test.each(["", "-a", "A", "a b", "a".repeat(33), "ä", "a.b", "a_b"])("takes no slug such as %j", (slug) => {
  expect(fieldOf(decideDefine(null, input, slug))).toBe("slug")
})

test.each([
  [{ name: " " }, { field: "name", rule: "min", min: 1 }],
  [{ name: "n".repeat(81) }, { field: "name", rule: "max", max: 80 }],
  [{ description: "d".repeat(501) }, { field: "description", rule: "max", max: 500 }],
  [{ name: "\ud800" }, { field: "name" }],
  [{ description: "\ud800" }, { field: "description" }],
  [{ position: 1.5 }, { field: "position" }],
  [{ position: Number.NaN }, { field: "position" }]
])("%j is refused with its field and bound", (more, details) => {
  expect(decideDefine(null, { ...input, ...more }, "slug")).toMatchObject({
    refused: { code: "validation_error", details }
  })
})

test("the seeded ones are all in order, under names of their own", () => {
  for (const { slug, ...category } of SEEDED_CATEGORIES)
    expect(fieldOf(decideDefine(null, category, slug))).toBe("none")
  expect(new Set(SEEDED_CATEGORIES.map(({ slug }) => slug)).size).toBe(SEEDED_CATEGORIES.length)
  expect(new Set(SEEDED_CATEGORIES.map(({ position }) => position)).size).toBe(SEEDED_CATEGORIES.length)
})
