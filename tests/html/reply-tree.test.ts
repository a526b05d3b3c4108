/** Replies as a tree: every one has its place once, none is deeper than there is room. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { type Branch, DEPTH_MAX, treeOf } from "../../edge/thread/reply-tree.ts"

interface Item {
  readonly id: number
  readonly parent_id: number | null
}

type Placed = readonly [id: number, depth: number, isPlaced: boolean]

const flat = (branches: ReadonlyArray<Branch<Item>>, depth = 0): ReadonlyArray<Placed> =>
  branches.flatMap(({ item, isPlaced, branches: below }) => [[item.id, depth, isPlaced], ...flat(below, depth + 1)])

const item = (id: number, parent_id: number | null = null): Item => ({ id, parent_id })

it("has answers below what they answer, in their order", () => {
  expect(flat(treeOf([item(1), item(2), item(3, 1), item(4, 3), item(5, 1)]))).toEqual([
    [1, 0, true],
    [3, 1, true],
    [4, 2, true],
    [5, 1, true],
    [2, 0, true]
  ])
})

it("has what answers a reply of another page by itself, and says so", () => {
  expect(flat(treeOf([item(7, 3), item(8, 7)]))).toEqual([
    [7, 0, false],
    [8, 1, true]
  ])
})

it("ends to the right where there is no more room", () => {
  const chain = Array.from({ length: DEPTH_MAX + 3 }, (_, at) => item(at + 1, at === 0 ? null : at))
  expect(flat(treeOf(chain)).map(([, depth, isPlaced]) => [depth, isPlaced])).toEqual([
    ...Array.from({ length: DEPTH_MAX + 1 }, (_, depth) => [depth, true]),
    [DEPTH_MAX, false],
    [DEPTH_MAX, false]
  ])
})

it("has each once, whatever answers what", () => {
  const some = fc
    .array(fc.option(fc.integer({ min: 1, max: 60 })), { maxLength: 60 })
    .map((parents) => parents.map((parent, at) => item(at + 1, parent)))
  fc.assert(
    fc.property(some, (items) => {
      const placed = flat(treeOf(items))
      expect(placed.map(([id]) => id).toSorted((one, other) => one - other)).toEqual(items.map(({ id }) => id))
      expect(placed.every(([, depth]) => depth <= DEPTH_MAX)).toBe(true)
      const byId = new Map(placed.map(([id, ...place]) => [id, place]))
      for (const { id, parent_id } of items) {
        const [depth = 0, isPlaced = false] = byId.get(id) ?? []
        if (isPlaced && parent_id !== null) expect(depth).toBe((byId.get(parent_id)?.[0] ?? 0) + 1)
      }
    })
  )
})
