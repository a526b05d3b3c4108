/**
 * The replies of one page as a tree. A reply is placed below the reply that it answers, if that reply precedes it on
 * the page. Others are on the first level. Levels below `DEPTH_MAX` would not fit the width: deeper replies are on the
 * last level, after the reply that they answer, and name it.
 */

/** The number of levels below the first. */
export const DEPTH_MAX = 4

interface Answering {
  readonly id: number
  readonly parent_id: number | null
}

export interface Branch<Item> {
  readonly item: Item
  /** True if it is directly below the reply that it answers, or answers none. */
  readonly isPlaced: boolean
  readonly branches: Array<Branch<Item>>
}

interface Place<Item> {
  readonly depth: number
  /** The list that replies to this one are added to. */
  readonly below: Array<Branch<Item>>
}

/** Keeps the order of the items. Each occurs once. */
export const treeOf = <Item extends Answering>(items: ReadonlyArray<Item>): ReadonlyArray<Branch<Item>> => {
  const roots: Array<Branch<Item>> = []
  const places = new Map<number, Place<Item>>()
  for (const item of items) {
    const above = item.parent_id === null ? undefined : places.get(item.parent_id)
    const branches: Array<Branch<Item>> = []
    const depth = above === undefined ? 0 : Math.min(DEPTH_MAX, above.depth + 1)
    const isPlaced = item.parent_id === null || (above !== undefined && above.depth < DEPTH_MAX)
    const siblings = above?.below ?? roots
    siblings.push({ item, isPlaced, branches })
    places.set(item.id, { depth, below: depth < DEPTH_MAX ? branches : siblings })
  }
  return roots
}
