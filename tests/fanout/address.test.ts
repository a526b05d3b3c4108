/** Where webhooks may lead: every spelling of an address that is not public, and names that lie (contract 4). */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import {
  BlockedAddress,
  guardedLookup,
  literalBlocked,
  mayConnect,
  safeAddresses,
  UnresolvedName
} from "../../actors/kit/reach.ts"
import { Poster } from "../../actors/kit/post.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { startReceiver } from "../support/receiver.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"

const PUBLIC = { loopback: false }
const DEVELOPMENT = { loopback: true }

const HOSTILE_ADDRESSES = [
  "0.0.0.0",
  "0.1.2.3",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "100.127.255.254",
  "127.0.0.1",
  "127.255.255.254",
  "168.63.129.16",
  "161.26.0.10",
  "166.9.0.1",
  "100.100.100.200",
  "192.0.0.192",
  "fd00:ec2::254",
  "fd20:ce::254",
  "fd00:c1::a9fe:a9fe",
  "fe80::a9fe:a9fe",
  "169.254.169.254",
  "169.254.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.1",
  "192.0.0.170",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.0.1",
  "198.18.0.1",
  "198.19.255.255",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "239.255.255.255",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::8.8.8.8",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "::ffff:a9fe:a9fe",
  "64:ff9b::7f00:1",
  "64:ff9b::8.8.8.8",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:0:4136:e378:8000:63bf:3fff:fdd2",
  "2001:2::1",
  "2001:10::1",
  "2001:20::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "2002:a9fe:a9fe::",
  "2002:808:808::1",
  "3fff::1",
  "4000::1",
  "5f00::1",
  "8000::1",
  "fc00::1",
  "fd12:3456:789a::1",
  "fe80::1",
  "fe80::1%eth0",
  "fec0::1",
  "ff02::1",
  "ff0e::1",
  "fd00:ec2::254"
]
const OPEN_ADDRESSES = [
  "8.8.8.8",
  "1.1.1.1",
  "93.184.215.14",
  "100.63.255.255",
  "100.128.0.1",
  "172.15.0.1",
  "172.32.0.1",
  "192.167.1.1",
  "223.255.255.254",
  "2606:4700::1111",
  "2a00:1450:4001::1",
  "2001:4860:4860::8888"
]

/** As a URL may spell it; what is no URL at all cannot be set. */
const HOSTILE_SPELLINGS = [
  "https://127.0.0.1/",
  "https://127.1/",
  "https://127.0.1/",
  "https://2130706433/",
  "https://017700000001/",
  "https://0x7f000001/",
  "https://0x7f.0.0.1/",
  "https://0177.0.0.1/",
  "https://0177.0.0.0x1/",
  "https://127.0.0.1./",
  "https://①②⑦.⓪.⓪.①/",
  "https://127。0。0。1/",
  "https://%31%32%37.0.0.1/",
  "https://0/",
  "https://0.0.0.0/",
  "https://10.1/",
  "https://0xa9fea9fe/",
  "https://2852039166/",
  "https://0251.0376.0251.0376/",
  "https://169.254.43518/",
  "https://[::1]/",
  "https://[0:0:0:0:0:0:0:1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[::ffff:10.0.0.1]/",
  "https://[::127.0.0.1]/",
  "https://[64:ff9b::10.0.0.1]/",
  "https://[2002:7f00:1::]/",
  "https://[fe80::1]/",
  "https://[fc00::1]/",
  "https://[::]/",
  "https://0xc0a80001/",
  "https://3232235521/",
  "https://192.168.257/",
  "https://255.255.255.255/",
  "https://224.1/",
  "https://100.64.1/",
  "https://[2001:0:1::1]/",
  "https://127.0.0.1:8443/",
  "https://user@127.0.0.1/",
  "https://[FE80::1]/"
]

describe("addresses", () => {
  test.each(HOSTILE_ADDRESSES)("%s is not connected to", (address) => {
    expect(mayConnect(address, PUBLIC)).toBe(false)
  })

  test.each(OPEN_ADDRESSES)("%s is", (address) => {
    expect(mayConnect(address, PUBLIC)).toBe(true)
  })

  test("in development the machine itself is, and nothing else besides", () => {
    const opened = HOSTILE_ADDRESSES.filter((address) => mayConnect(address, DEVELOPMENT))
    expect(opened).toEqual(["127.0.0.1", "127.255.255.254", "::1"])
  })

  test("what is no address is none", () => {
    for (const text of ["", "localhost", "127.1", "1.2.3.4.5", "::1::", "0x7f000001", "8.8.8.8%eth0"])
      expect(mayConnect(text, DEVELOPMENT)).toBe(false)
  })

  test("no IPv4 address that is not public gets through in any coat of IPv6", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 0xffffffff }),
        fc.constantFrom("::ffff:", "::", "64:ff9b::", "2002:"),
        (number, coat) => {
          const quad = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join(".")
          const hex = `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`
          expect(mayConnect(coat === "2002:" ? `2002:${hex}::1` : `${coat}${quad}`, PUBLIC)).toBe(false)
        }
      )
    )
  })
})

describe("spellings", () => {
  test.each(HOSTILE_SPELLINGS)("%s is not posted to", async (address) => {
    const poster = new Poster({
      clock: machineClock,
      production: true,
      limits: LIMITS.webhook,
      resolve: () => Promise.reject(new Error("nobody is to be asked"))
    })
    expect(await poster.post(address, {}, Buffer.from("{}"))).toMatchObject({
      error: "blocked_address",
      response_code: null
    })
    poster.close()
  })

  test.each([
    "http://hooks.example/",
    "https://hooks.example:22/",
    "https://hooks.example:80/",
    "https://hooks.example:1023/",
    "ftp://hooks.example/",
    "https://u:p@hooks.example/"
  ])("%s is not either", async (address) => {
    const poster = new Poster({
      clock: machineClock,
      production: true,
      limits: LIMITS.webhook,
      resolve: () => Promise.resolve(["8.8.8.8"])
    })
    expect(await poster.post(address, {}, Buffer.from("{}"))).toMatchObject({ error: "blocked_address" })
    poster.close()
  })

  test("names are left to the lookup", () => {
    for (const host of ["hooks.example", "localhost", "127.0.0.1.nip.io"])
      expect(literalBlocked(host, PUBLIC)).toBe(false)
  })
})

const answers =
  (...addresses: ReadonlyArray<string>) =>
  () =>
    Promise.resolve(addresses)

describe("names", () => {
  test("one address that is not public spoils them all", async () => {
    await expect(safeAddresses("a.example", PUBLIC, answers("8.8.8.8", "10.0.0.1"))).rejects.toBeInstanceOf(
      BlockedAddress
    )
    await expect(safeAddresses("a.example", PUBLIC, answers("2606:4700::1", "::ffff:10.0.0.1"))).rejects.toBeInstanceOf(
      BlockedAddress
    )
    expect(await safeAddresses("a.example", PUBLIC, answers("8.8.8.8", "2606:4700::1"))).toEqual([
      "8.8.8.8",
      "2606:4700::1"
    ])
  })

  test("without an address, or a name server that fails: dns", async () => {
    await expect(safeAddresses("a.example", PUBLIC, answers())).rejects.toBeInstanceOf(UnresolvedName)
    await expect(
      safeAddresses("a.example", PUBLIC, () => Promise.reject(new Error("SERVFAIL")))
    ).rejects.toBeInstanceOf(UnresolvedName)
  })

  test.each(["localhost", "LOCALHOST", "localhost.", "a.localhost", "x.y.LocalHost."])(
    "%s is the machine itself, whoever says otherwise",
    async (name) => {
      await expect(safeAddresses(name, PUBLIC, answers("8.8.8.8"))).rejects.toBeInstanceOf(BlockedAddress)
      expect(await safeAddresses(name, DEVELOPMENT, answers("8.8.8.8"))).toEqual(["127.0.0.1"])
    }
  )

  test("the lookup gives what was judged, in the form that was asked for", async () => {
    const lookup = guardedLookup(PUBLIC, answers("8.8.8.8", "2606:4700::1"))
    const asked = (options: object) =>
      new Promise((resolve) =>
        lookup("a.example", options, (error, address, family) => resolve([error, address, family]))
      )
    expect(await asked({ all: true })).toEqual([
      null,
      [
        { address: "8.8.8.8", family: 4 },
        { address: "2606:4700::1", family: 6 }
      ],
      undefined
    ])
    expect(await asked({ family: 6 })).toEqual([null, "2606:4700::1", 6])
    expect(await asked({})).toEqual([null, "8.8.8.8", 4])
  })

  test("a name that changes its mind is asked once for each connection, and the connection goes where it was judged", async () => {
    const receiver = await startReceiver()
    let asked = 0
    // Rebinding: public at first sight, the machine itself at the next.
    const poster = new Poster({
      clock: machineClock,
      production: false,
      limits: LIMITS.webhook,
      resolve: () => Promise.resolve(++asked === 1 ? ["127.0.0.1"] : ["10.0.0.1"])
    })
    const url = `http://rebinding.example:${receiver.port}/`
    expect(await poster.post(url, {}, Buffer.from("{}"))).toMatchObject({ response_code: 204 })
    expect(asked).toBe(1)
    // The kept connection is the one that was judged.
    expect(await poster.post(url, {}, Buffer.from("{}"))).toMatchObject({ response_code: 204 })
    expect([asked, receiver.connections()]).toEqual([1, 1])
    receiver.cut()
    expect(await poster.post(url, {}, Buffer.from("{}"))).toMatchObject({ error: "blocked_address" })
    expect(receiver.received).toHaveLength(2)
    poster.close()
    await receiver.stop()
  })
})
