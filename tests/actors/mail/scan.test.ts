/** What scanners say of a message, and what becomes of it where they say nothing that makes sense (contract 20). */
import { Effect, Result } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from "vitest"
import { worst } from "../../../actors/mail/inbound/verdicts.ts"
import { scanBy, type Scanning } from "../../../actors/mail/scan/scan.ts"
import { clamdAddressOf, rspamdUrlOf, type Scanners } from "../../../schemas/mail/scanners.ts"
import { VERDICTS } from "../../../schemas/mail/records.ts"
import { type Clamd, EICAR, GTUBE, playedClamd, playedRspamd, type Rspamd, rspamdSays } from "../../support/scanners.ts"
import { waitFor } from "../../harness/index.ts"

let clamd: Clamd
let rspamd: Rspamd
let goodClamd: Clamd["says"]
let goodRspamd: Rspamd["says"]
beforeAll(async () => {
  clamd = await playedClamd()
  rspamd = await playedRspamd()
  goodClamd = clamd.says
  goodRspamd = rspamd.says
})
afterAll(async () => {
  await clamd?.stop()
  await rspamd?.stop()
})
afterEach(() => {
  clamd.says = goodClamd
  rspamd.says = goodRspamd
})

const BOUNDS = { scan_ms: 60_000, scans_at_once: 4, scans_waiting_max: 4 }
const both = (): Scanners => ({
  clamd: { host: "127.0.0.1", port: clamd.port },
  rspamd: `http://127.0.0.1:${rspamd.port}`
})
const ORIGIN = { ip: "192.0.2.1", helo: "mx.example.com", sender: "a@example.com" }

const scanned = (
  text: string | Buffer,
  {
    scanners = both(),
    bounds = BOUNDS,
    ...more
  }: { scanners?: Scanners; bounds?: typeof BOUNDS } & Partial<Scanning> = {}
) =>
  Effect.runPromise(
    Effect.result(
      scanBy(scanners, bounds)({ raw: Buffer.from(text), origin: ORIGIN, to: ["ada@d.example"], own: false, ...more })
    )
  )

const NOTHING = { host: "127.0.0.1", port: 1 }

describe("a message", () => {
  it("is told to be clean, a virus, or spam", async () => {
    expect(await scanned("Hello")).toEqual(Result.succeed({ spam: "PASS", virus: "PASS" }))
    expect(await scanned(EICAR)).toEqual(Result.succeed({ spam: "PASS", virus: "FAIL" }))
    expect(await scanned(GTUBE)).toEqual(Result.succeed({ spam: "FAIL", virus: "PASS" }))
  })

  it("is given whole, however long it is, with where it came from", async () => {
    const raw = Buffer.alloc(3_000_000, "abc\r\n")
    const to = ["ada@d.example", "bob@d.example"]
    await scanned(raw, { to, origin: { ...ORIGIN, helo: "mx\r\nX: y é" } })
    expect(clamd.seen.at(-1)?.equals(raw)).toBe(true)
    expect(rspamd.seen.at(-1)?.equals(raw)).toBe(true)
    expect(rspamd.asked.at(-1)).toMatchObject({
      ip: ["192.0.2.1"],
      helo: ["mxX:y"],
      from: ["a@example.com"],
      rcpt: to
    })
  })

  it("is looked at by nobody who is not configured, and for spam not where an agent sent it", async () => {
    expect(await scanned(EICAR, { scanners: { clamd: null, rspamd: null } })).toEqual(
      Result.succeed({ spam: "NONE", virus: "NONE" })
    )
    expect(await scanned(GTUBE, { own: true })).toEqual(Result.succeed({ spam: "NONE", virus: "PASS" }))
  })
})

describe("a virus scanner", () => {
  const refused = { code: "unavailable" }

  it.each([
    ["says that it cannot", () => "INSTREAM size limit exceeded. ERROR\0"],
    ["says what makes no sense", () => "HTTP/1.1 400 Bad Request\r\n\r\n"],
    ["says nothing", () => ""],
    ["says two things at once", () => "stream: OK\nstream: OK FOUND\0"],
    ["never ends", () => "x".repeat(100_000)]
  ])("that %s has the sender come again", async (_what, says) => {
    clamd.says = says
    expect(await scanned("Hello")).toMatchObject(Result.fail(refused))
  })

  it("that is down, or too slow, has the sender come again", async () => {
    expect(await scanned("Hello", { scanners: { ...both(), clamd: NOTHING } })).toMatchObject(Result.fail(refused))
    clamd.says = () => null
    expect(await scanned("Hello", { bounds: { ...BOUNDS, scan_ms: 30 } })).toMatchObject(Result.fail(refused))
  })

  it("that is busy takes no more than the bound, and the next ones once it is free", async () => {
    clamd.says = () => null
    const scan = scanBy(
      { clamd: both().clamd, rspamd: null },
      { scan_ms: 60_000, scans_at_once: 1, scans_waiting_max: 1 }
    )
    const one = { raw: Buffer.from("x"), origin: ORIGIN, to: [], own: false }
    const before = clamd.seen.length
    const held = ["192.0.2.1", "198.51.100.1"].map((ip) => Effect.runFork(scan({ ...one, origin: { ...ORIGIN, ip } })))
    await waitFor(() => clamd.seen.length > before || null)
    expect(await Effect.runPromise(Effect.result(scan(one)))).toMatchObject(Result.fail(refused))
    clamd.says = goodClamd
    for (const fiber of held) fiber.interruptUnsafe()
    expect(
      await waitFor(async () => {
        const result = await Effect.runPromise(Effect.result(scan(one)))
        return Result.isSuccess(result) ? result.success : null
      })
    ).toEqual({ spam: "NONE", virus: "PASS" })
  })
})

test("a network, or an agent, has a quarter of the scans, and leaves the rest to others", async () => {
  clamd.says = () => null
  const scan = scanBy(
    { clamd: both().clamd, rspamd: null },
    { scan_ms: 60_000, scans_at_once: 4, scans_waiting_max: 4 }
  )
  const of = (ip: string, own = false): Scanning => ({
    raw: Buffer.from("x"),
    origin: { ip, sender: `${ip}@example.com` },
    to: [],
    own
  })
  const before = clamd.seen.length
  const crowd = [1, 2].map((n) => Effect.runFork(scan(of(`192.0.2.${n}`))))
  await waitFor(() => clamd.seen.length === before + 2)
  expect(await Effect.runPromise(Effect.result(scan(of("192.0.9.1"))))).toMatchObject(
    Result.fail({ code: "unavailable" })
  )
  clamd.says = goodClamd
  for (const other of [of("198.51.100.1"), of("192.0.2.1", true), of("2001:db8::1")])
    expect(await Effect.runPromise(scan(other))).toMatchObject({ virus: "PASS" })
  for (const fiber of crowd) fiber.interruptUnsafe()
  const again = () => Effect.runPromise(Effect.result(scan(of("192.0.9.1"))))
  expect(await waitFor(async () => Result.isSuccess(await again()))).toBe(true)
})

describe("a spam scanner", () => {
  it.each([
    ["fails", () => ({ status: 500, body: "" })],
    ["says what is no JSON", () => ({ status: 200, body: "stream: OK" })],
    ["says an action that nobody knows", () => rspamdSays("explode")],
    ["says an action that every object has", () => rspamdSays("constructor")],
    ["never ends", () => ({ status: 200, body: "x".repeat(2_000_000) })]
  ])("that %s leaves the verdict open", async (_what, says) => {
    rspamd.says = says
    expect(await scanned("Hello")).toEqual(Result.succeed({ spam: "GRAY", virus: "PASS" }))
  })

  it("that is down, or too slow, leaves the verdict open", async () => {
    const down = { ...both(), rspamd: "http://127.0.0.1:1" }
    expect(await scanned("Hello", { scanners: down })).toEqual(Result.succeed({ spam: "GRAY", virus: "PASS" }))
    rspamd.says = () => null
    const scanners = { ...both(), clamd: null }
    expect(await scanned("Hello", { scanners, bounds: { ...BOUNDS, scan_ms: 30 } })).toEqual(
      Result.succeed({ spam: "GRAY", virus: "NONE" })
    )
  })

  it.each([
    ["no action", "PASS"],
    ["greylist", "GRAY"],
    ["soft reject", "GRAY"],
    ["add header", "FAIL"],
    ["rewrite subject", "FAIL"],
    ["reject", "FAIL"]
  ])("that says %s means %s", async (name, spam) => {
    rspamd.says = () => rspamdSays(name)
    expect(await scanned("Hello")).toEqual(Result.succeed({ spam, virus: "PASS" }))
  })
})

test("of what a provider and a scanner say, what speaks against a message counts", () => {
  expect([
    worst("PASS", "FAIL"),
    worst("NONE", "GRAY"),
    worst("PROCESSING_FAILED", "PASS"),
    worst("NONE", "NONE")
  ]).toEqual(["FAIL", "GRAY", "PROCESSING_FAILED", "NONE"])
  for (const verdict of VERDICTS) expect(worst(verdict, "NONE")).toBe(verdict)
})

test.each([
  ["127.0.0.1", { host: "127.0.0.1", port: 3310 }],
  ["clamd.internal:3311", { host: "clamd.internal", port: 3311 }],
  ["[::1]:3310", { host: "::1", port: 3310 }],
  ["/run/clamav/clamd.ctl", { path: "/run/clamav/clamd.ctl" }],
  ["unix:/run/clamav/clamd.ctl", { path: "/run/clamav/clamd.ctl" }],
  ["clamd:0", null],
  ["clamd:70000", null],
  ["http://clamd:3310", null],
  ["a b", null],
  ["[1.2.3.4]:3310", null],
  [`/${"x".repeat(108)}`, null],
  ["unix:clamd.ctl", null]
])("clamd at %s is %j", (text, address) => {
  expect(clamdAddressOf(text)).toEqual(address)
})

test.each([
  ["http://127.0.0.1:11333", "http://127.0.0.1:11333"],
  ["https://mail.example/rspamd/", "https://mail.example/rspamd"],
  ["http://user:password@rspamd", null],
  ["http://rspamd/?a=b", null],
  ["unix:/run/rspamd.sock", null],
  ["rspamd", null]
])("Rspamd at %s is %s", (text, url) => {
  expect(rspamdUrlOf(text)).toBe(url)
})
