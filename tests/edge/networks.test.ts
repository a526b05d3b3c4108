/** What clients of one network share, and whose an address is. */
import { afterEach, beforeAll, afterAll, describe, expect, it } from "vitest"
import { forwardedAddress } from "../../edge/http/address.ts"
import { networkOf } from "../../schemas/network.ts"
import { newIdentity } from "./signer.ts"
import { node, openNode, closeNode, stopEdge, WIDE, WIDE_CHALLENGES, start, statuses, bound } from "./limited.ts"

beforeAll(openNode)
afterAll(closeNode)
afterEach(stopEdge)

describe("clients of one IPv6 /48", () => {
  const from = (network: number, host = 1) => ({ "x-forwarded-for": `2001:db8:7:${network.toString(16)}::${host}` })

  it.each(["anon", "ip", "web"])("have %s each for themselves, and a few times that together", async (bucket) => {
    const { call } = bound(await start({ [bucket]: 11 }, { HUB_TRUST_PROXY: "1" }, { [bucket]: 11 * WIDE }))
    const ask = (network: number, host = 1) =>
      call(bucket === "web" ? "/docs" : "/api/v1/time", { headers: from(network, host) })
    for (let network = 0; network < WIDE; network++)
      expect(await statuses(11, () => ask(network, network))).toEqual(Array(11).fill(200))
    expect((await ask(0, 9)).json.error.details).toMatchObject({ bucket, limit: 11 })
    const refused = await ask(WIDE)
    expect([refused.status, refused.json.error.details["bucket"], refused.json.error.details["limit"]]).toEqual([
      429,
      bucket,
      11 * WIDE
    ])
    expect(refused.headers.get("retry-after")).not.toBeNull()
    // Another /48, and whoever has an IPv4 address.
    expect((await call("/api/v1/time", { headers: { "x-forwarded-for": "2001:db8:8::1" } })).status).toBe(200)
    expect((await call("/api/v1/time", { headers: { "x-forwarded-for": "192.0.2.1" } })).status).toBe(200)
  })

  it("who is refused by itself takes nothing of what they have together", async () => {
    const { call } = bound(await start({ anon: 11 }, { HUB_TRUST_PROXY: "1" }, { anon: 11 * WIDE }))
    await statuses(11 * (WIDE + 1), () => call("/api/v1/time", { headers: from(1) }))
    expect((await call("/api/v1/time", { headers: from(2) })).status).toBe(200)
  })

  it("have a number of registration challenges together, and their home is named with each answer", async () => {
    const { call } = bound(await start({ register: 5 }, { HUB_TRUST_PROXY: "1" }, { register: WIDE_CHALLENGES }))
    node.on("challenge.create", () => ({ data: { id: "c" } }))
    node.on("challenge.register", () => ({ data: { id: "a" } }))
    const step = (network: number) =>
      call("/api/v1/register/challenge", {
        method: "POST",
        body: JSON.stringify({ public_key: newIdentity().key }),
        headers: from(network)
      })
    for (let n = 0; n < WIDE_CHALLENGES; n++) expect((await step(n)).status).toBe(201)
    expect((await step(99)).json.error.details).toMatchObject({
      bucket: "register",
      limit: WIDE_CHALLENGES,
      window_seconds: 3600
    })
    const form = JSON.stringify({ challenge_id: "0".repeat(32), handle: "abc", name: "A", answers: {} })
    for (const headers of [from(7), { "x-forwarded-for": "192.0.2.1" }])
      await call("/api/v1/register", { method: "POST", body: form, signed: newIdentity(), headers })
    const home = node
      .asked("limit.draw")
      .find(
        (ask) =>
          (ask.input as { wide?: true; bucket: string }).wide === true &&
          (ask.input as { bucket: string }).bucket === "register"
      )?.actor
    expect(home).toMatch(/^register\.w[0-9a-f]{16}$/)
    expect(node.asked("challenge.register").map((ask) => (ask.input as { wide_home: unknown }).wide_home)).toEqual([
      home,
      null
    ])
  })
})

describe("a client's network", () => {
  it.each([
    ["192.0.2.7", "192.0.2.7", null],
    ["::ffff:192.0.2.7", "192.0.2.7", null],
    // Translated by NAT64, by an operator's own NAT64, by SIIT, and tunnelled by Teredo.
    ["64:ff9b::192.0.2.7", "192.0.2.7", null],
    ["64:ff9b:1:abcd::192.0.2.7", "192.0.2.7", null],
    ["64:ff9b:1:ffff::192.0.2.7", "192.0.2.7", null],
    ["::ffff:0:192.0.2.7", "192.0.2.7", null],
    ["2001:0:4136:e378:8000:63bf:3fff:fdf8", "192.0.2.7", null],
    ["64:ff9b:2::c000:207", "0064ff9b00020000/64", "0064ff9b0002/48"],
    ["2001:db8:1:2:3:4:5:6", "20010db800010002/64", "20010db80001/48"],
    ["2001:db8:1:2::1", "20010db800010002/64", "20010db80001/48"],
    ["2001:db8:1:3::1", "20010db800010003/64", "20010db80001/48"],
    ["::1", "0000000000000000/64", "000000000000/48"],
    ["nonsense", "unknown", null],
    ["", "unknown", null]
  ])("of %s is %s in %s", (address, client, wide) => {
    expect(networkOf(address)).toEqual({ client, wide })
  })

  it.each([
    ["1.1.1.1, 2.2.2.2", 0, "9.9.9.9"],
    ["1.1.1.1, 2.2.2.2", 1, "2.2.2.2"],
    ["1.1.1.1, 2.2.2.2", 2, "1.1.1.1"],
    ["1.1.1.1, 2.2.2.2", 5, "1.1.1.1"],
    ["1.1.1.1, junk", 1, "9.9.9.9"],
    [undefined, 1, "9.9.9.9"],
    ["1.1.1.1, 2.2.2.2:5443", 1, "2.2.2.2"],
    ["[2001:db8::1]:443", 1, "2001:db8::1"],
    ["[2001:db8::1]", 1, "2001:db8::1"],
    ["2001:db8::1", 1, "2001:db8::1"],
    ["2.2.2.2:", 1, "9.9.9.9"],
    ["2.2.2.2:port", 1, "9.9.9.9"],
    ["[2.2.2.2]:1", 1, "9.9.9.9"],
    ["[2001:db8::1", 1, "9.9.9.9"],
    ["[2001:db8::1]443", 1, "9.9.9.9"],
    ["7:443", 1, "9.9.9.9"]
  ])("from %s with %i proxies is %s", (header, proxies, address) => {
    expect(forwardedAddress(header, "9.9.9.9", proxies)).toBe(address)
  })
})
