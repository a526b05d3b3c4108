import { describe, expect, it } from "vitest"
import { Readers } from "../../edge/identity/readers.ts"

const BOUNDS = { max: 32, clientMax: 4, giveWayMs: 1_000 }
const alone = (client: string) => ({ client, wide: null })

/** Readers that never end by themselves: who was let go, in order. */
const slowly = () => {
  const readers = new Readers(BOUNDS)
  const gone: Array<string> = []
  return {
    gone,
    enter: (network: { client: string; wide: string | null }, now = 0) =>
      readers.enter(network, now, () => gone.push(network.client))
  }
}

describe("readers of the whole directory", () => {
  it("of eight slow clients leave a place to a ninth", () => {
    const { gone, enter } = slowly()
    for (let n = 0; n < 32; n++) expect(enter(alone(`c${Math.floor(n / 4)}`))).not.toBeNull()
    expect(enter(alone("ninth"))).not.toBeNull()
    expect(gone).toEqual(["c0"])
  })

  it("take places from those who have more, until all have as many", () => {
    const { gone, enter } = slowly()
    for (let n = 0; n < 32; n++) enter(alone(`c${Math.floor(n / 4)}`))
    for (let n = 0; n < 24; n++) expect(enter(alone(`new${n}`))).not.toBeNull()
    expect([...new Set(gone)].toSorted()).toEqual(["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"])
    expect(enter(alone("one more"))).toBeNull()
  })

  it("give way after a while where all have as many", () => {
    const { gone, enter } = slowly()
    for (let n = 0; n < 32; n++) enter(alone(`c${n}`), n)
    expect(enter(alone("next"), 999)).toBeNull()
    expect(enter(alone("next"), 1_000)).not.toBeNull()
    expect(gone).toEqual(["c0"])
  })

  it("of one /48 count as one", () => {
    const { gone, enter } = slowly()
    for (let n = 0; n < 32; n++) enter({ client: `c${n}`, wide: "w" })
    expect(enter(alone("next"))).not.toBeNull()
    expect(enter({ client: "c99", wide: "w" })).toBeNull()
    expect(gone).toEqual(["c0"])
  })

  it("of one client are four, and a place comes back once", () => {
    const { enter } = slowly()
    const leave = [0, 1, 2, 3].map(() => enter(alone("a")))
    expect(enter(alone("a"))).toBeNull()
    leave[0]?.()
    leave[0]?.()
    expect(enter(alone("a"))).not.toBeNull()
    expect(enter(alone("a"))).toBeNull()
  })
})
