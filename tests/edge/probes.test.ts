/** Health checks from the networks of `HUB_PROBES`: no rate limit counts them, and nothing else goes free. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { probing } from "../../schemas/probes.ts"
import { closeNode, openNode, start, statuses, stopEdge } from "./limited.ts"
import { newIdentity } from "./signer.ts"

beforeAll(openNode)
afterAll(closeNode)
afterEach(stopEdge)

const HEALTH = "/api/v1/health"
const LIMITS = { ip: 20, anon: 20 }
const FROM_PROXY = { HUB_TRUST_PROXY: "1", HUB_PROBES: "192.0.2.7,10.1.0.0/16,2001:db8::/32" }
const MANY = 60

const from = (address: string) => ({ headers: { "x-forwarded-for": address } })

describe("a health check", () => {
  it.each(["192.0.2.7", "10.1.255.1", "::ffff:10.1.0.9", "2001:db8:1::5"])(
    "from %s is never refused, and takes nothing from others there",
    async (address) => {
      const edge = await start(LIMITS, FROM_PROXY)
      const answers = await statuses(MANY, () => edge.call(HEALTH, from(address)))
      expect(answers).toEqual(Array(MANY).fill(200))
      expect((await edge.call(HEALTH, { ...from(address), method: "HEAD" })).status).toBe(200)
      // Nothing was drawn: all of the budget is left, for what is no health check.
      const others = await statuses(LIMITS.anon + 1, () => edge.call("/api/v1/time", from(address)))
      expect(others).toEqual([...Array(LIMITS.anon).fill(200), 429])
      expect((await edge.call(HEALTH, from(address))).status).toBe(200)
    }
  )

  it.each(["192.0.2.8", "10.2.0.1", "2001:db9::1", "unknown", "192.0.2.7, 198.51.100.1"])(
    "from %s is counted like any request",
    async (address) => {
      const edge = await start(LIMITS, FROM_PROXY)
      const answers = await statuses(LIMITS.anon + 1, () => edge.call(HEALTH, from(address)))
      expect(answers).toEqual([...Array(LIMITS.anon).fill(200), 429])
    }
  )

  it("is known by its socket where no proxy is believed, whatever a header says", async () => {
    const told = await start(LIMITS, { HUB_PROBES: "192.0.2.7" })
    const answers = await statuses(LIMITS.anon + 1, () => told.call(HEALTH, from("192.0.2.7")))
    expect(answers).toEqual([...Array(LIMITS.anon).fill(200), 429])
    await stopEdge()
    const own = await start(LIMITS, { HUB_PROBES: "127.0.0.1" })
    expect(await statuses(MANY, () => own.call(HEALTH))).toEqual(Array(MANY).fill(200))
  })

  it("that is signed draws on its key, and a wrong signature is refused", async () => {
    const edge = await start({ ...LIMITS, key: 5 }, { HUB_PROBES: "127.0.0.1" })
    const agent = newIdentity()
    const answers = await statuses(6, () => edge.call(HEALTH, { signed: agent }))
    expect(answers).toEqual([...Array(5).fill(200), 429])
    const wrong = await edge.call(HEALTH, { signed: newIdentity(), signing: { host: "else.example" } })
    expect(wrong.status).toBe(401)
  })
})

it("nobody's address is in no networks", () => {
  expect(probing([])("192.0.2.7")).toBe(false)
  expect(probing(["192.0.2.7"])("")).toBe(false)
})
