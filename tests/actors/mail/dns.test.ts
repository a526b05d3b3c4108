/** What several name servers say, compared and bounded (decision 0059). */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { DnsQuestions } from "../../../actors/mail/dns.ts"
import { LIMITS, type Limits } from "../../../schemas/limits.ts"
import { type NameServer, nameServer, type Zone } from "../../support/dns.ts"

/** Nobody listens there. */
const DEAD = "127.0.0.1:9"

const long = "x".repeat(400)
const ZONE: Zone = {
  "a.example": { TXT: ["one", long], MX: ["Mx.Example"] },
  "only-mx.example": { MX: ["mx.example"] },
  "many.example": { TXT: Array.from({ length: 4 }, (_, n) => `t${n}`) },
  "alias.example": { CNAME: ["a.example"] },
  "loop.example": { CNAME: ["loop.example"] },
  "c1.example": { CNAME: ["c2.example"] },
  "c2.example": { CNAME: ["c3.example"] },
  "c3.example": { CNAME: ["a.example"] }
}

let good: NameServer
let empty: NameServer
let failing: NameServer
beforeAll(async () => {
  good = await nameServer(ZONE)
  empty = await nameServer({ "a.example": {} })
  failing = await nameServer({}, new Set(["a.example", "nothing.example"]))
})
afterAll(() => Promise.all([good, empty, failing].map((server) => server.stop())))

const asking = (servers: ReadonlyArray<string>, bounds: Partial<Limits["service"]["mail"]> = {}) =>
  new DnsQuestions({ dnsServers: servers }, { ...LIMITS.service.mail, ...bounds })

describe("one server", () => {
  test.each([
    ["a.example", "TXT", ["one", long]],
    ["a.example", "MX", ["mx.example"]],
    ["alias.example", "CNAME", ["a.example"]],
    ["only-mx.example", "TXT", []],
    ["nothing.example", "TXT", []],
    ["alias.example", "TXT", ["one", long]],
    ["loop.example", "TXT", []]
  ] as const)("of %s says of %s", async (name, type, told) => {
    expect(await asking([good.address]).ask(name, type)).toEqual([told])
  })

  test("is followed through so many aliases, and no further", async () => {
    const ask = (dns_aliases_max: number) => asking([good.address], { dns_aliases_max }).ask("c1.example", "TXT")
    expect(await ask(3)).toEqual([["one", long]])
    expect(await ask(2)).toEqual([[]])
  })

  test("has so many records looked at, of such a length", async () => {
    const bounds = { dns_records_max: 2, dns_record_max_chars: 3 }
    expect(await asking([good.address], bounds).ask("many.example", "TXT")).toEqual([["t0", "t1"]])
    expect(await asking([good.address], bounds).ask("a.example", "TXT")).toEqual([["one", "xxx"]])
  })
})

describe("several servers", () => {
  test("are each heard", async () => {
    expect(await asking([good.address, empty.address]).ask("a.example", "MX")).toEqual([["mx.example"], []])
  })

  test("that fail or are not there have said nothing", async () => {
    expect(await asking([failing.address, empty.address]).ask("a.example", "TXT")).toEqual([[]])
    expect(await asking([failing.address, DEAD, good.address]).ask("a.example", "MX")).toEqual([["mx.example"]])
    expect(await asking([failing.address, DEAD]).ask("a.example", "TXT")).toBeNull()
  })
})
