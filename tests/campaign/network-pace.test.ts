/** How fast a compartment sends and receives, measured at whoever receives, once the bursts are over. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { waitFor } from "../harness/index.ts"
import { sh, type Space } from "../runtime/namespaces.ts"
import { EGRESS_KBIT, makeNetwork, type Made, withoutRules } from "../runtime/networks.ts"

const TOLERANCE = 0.1
/**
 * The firewall's bucket holds what a second lets through, and its burst (nft counts bytes by whole seconds): a sender that
 * had to pause gets that at once, somewhere in the four seconds that are measured.
 */
const BUCKET_KBIT = EGRESS_KBIT + (512 * 1024 * 8) / 1000
const MEASURED_SECONDS = 4
/** What nothing bounds is faster than that, on a slow machine too. */
const UNBOUNDED = 2

let made: Made
let first: Space
let second: Space

beforeAll(async () => {
  made = await makeNetwork()
  ;[first, second] = made.inside as [Space, Space]
})

afterAll(() => made?.remove())

const expectPace = (kbit: number): void => {
  expect(kbit).toBeGreaterThan(EGRESS_KBIT * (1 - TOLERANCE))
  expect(kbit).toBeLessThan(EGRESS_KBIT * (1 + TOLERANCE))
}

const pull = async (space: Space): Promise<number> => {
  const { address, ports } = made.world
  const [kbit] = await space.run({ do: "pull", to: address, port: ports.source })
  return Number(kbit)
}

/** The world measures. */
const push = async (space: Space): Promise<number> => {
  const { address, ports, served } = made.world
  const before = served.said.length
  await space.run({ do: "push", to: address, port: ports.sink })
  const said = await waitFor(() => served.said.slice(before).find(({ pushed }) => pushed !== undefined))
  return Number(said["pushed"])
}

describe("the pace of a compartment", () => {
  it("is what it may receive", async () => {
    expectPace(await pull(first))
    await sh("tc", "qdisc", "delete", "dev", made.network.slots[0]?.bridge ?? "", "root")
    expect(await pull(first)).toBeGreaterThan(EGRESS_KBIT * UNBOUNDED)
    await made.network.ensure()
    expectPace(await pull(first))
  })

  it("is what it may send", async () => {
    expectPace(await push(first))
    expect(await withoutRules(made, () => push(first))).toBeGreaterThan(EGRESS_KBIT * UNBOUNDED)
    expectPace(await push(first))
  })

  it("is its own: another one's is not less for it", async () => {
    const both = await Promise.all([pull(first), pull(second)])
    for (const kbit of both) expectPace(kbit)
  })

  it("does not take from one direction for the other", async () => {
    const [received, sent] = await Promise.all([pull(first), push(first)])
    // What answers the other direction takes its part.
    expect(received).toBeGreaterThan(EGRESS_KBIT * (1 - 2 * TOLERANCE))
    expect(sent).toBeGreaterThan(EGRESS_KBIT * (1 - 2 * TOLERANCE))
    expect(received).toBeLessThan(EGRESS_KBIT * (1 + 2 * TOLERANCE))
    expect(sent).toBeLessThan(EGRESS_KBIT * (1 + 2 * TOLERANCE) + BUCKET_KBIT / MEASURED_SECONDS)
  })
})
