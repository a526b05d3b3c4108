/**
 * Replies of one page as a tree. A reply stands below the one that it answers, where that one is on the page and comes
 * before it; others stand by themselves. Behind `DEPTH_MAX` levels there is no room to the right: what answers there
 * stands on the same level, behind what it answers, and says what that is.
 */

/** Levels below the first. */
export const DEPTH_MAX = 4

interface Answering {
  readonly id: number
  readonly parent_id: number | null
}

export interface Branch<Item> {
  readonly item: Item
  /** Whether it stands right below what it answers, or answers nothing. */
  readonly isPlaced: boolean
  readonly branches: Array<Branch<Item>>
}

interface Place<Item> {
  readonly depth: number
  /** Where answers to it go. */
  readonly below: Array<Branch<Item>>
}

/** In the order of the items, each of which occurs once. */
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
