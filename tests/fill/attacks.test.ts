/** Attacks on a fill service that are none of a page's forms: entries that are not what they say, the local port, the vault's end. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { randomUUID } from "node:crypto"
import { readFile } from "node:fs/promises"
import { connect, createServer } from "node:net"
import fc from "fast-check"
import sodium from "libsodium-wrappers"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { isFrom, ownerIn } from "../../edge/fill/peer.ts"
import { openEntry, sealEntry, type ToSeal } from "../../edge/sdk/vault/seal.ts"
import type { VaultEntry } from "../../schemas/vault/records.ts"
import { waitFor } from "../harness/index.ts"
import { askFill, type FillBench, openBench, told } from "../support/fill.ts"
import { dataOf } from "../support/outcome.ts"
import { sealedEntry, VAULT } from "../support/vault.ts"

const SHOP = "https://shop.example"
const FIELDS = { username: "ada", password: "Correct-Horse 7" }

/** Of Debian: the user who owns nothing. */
const NOBODY = 65_534

let bench: FillBench
beforeAll(async () => {
  bench = await openBench(["*.example"])
})
afterAll(() => bench?.stop())
beforeEach(() => {
  bench.websites.sent.length = 0
})

/** Written for the shop, with another box in it. */
const withBox = async (uid: string, more: Partial<ToSeal>): Promise<VaultEntry> => {
  const { uid: vault, public_key } = bench.of.vault
  const box = { vault, public_key, uid, kind: "login", origins: [SHOP], fields: FIELDS, ...more } as const
  const body = { ...(await sealedEntry(bench.of)), uid, ciphertext: await sealEntry(box) }
  return dataOf(await bench.of.client.call("POST", `${VAULT}/entries`, { body }))
}

describe("an entry that is not what the service says", () => {
  it.each([
    ["moved from another entry", { uid: randomUUID() }],
    ["moved from another vault", { vault: "vlt_other" }],
    ["of another kind", { kind: "secret" }],
    ["for another website", { origins: ["https://other.example"] }],
    ["for no website", { origins: [] }],
    ["sealed for an owner's consent, which the service did not ask for", { fields: { ...FIELDS, consent: "owner" } }],
    ["sealed for a consent that nobody understands", { fields: { ...FIELDS, consent: "sometimes" } }],
    ["without a password", { fields: { username: "ada" } }]
  ] as ReadonlyArray<[string, Partial<ToSeal>]>)("%s is refused", async (_, more) => {
    const { id } = await withBox(randomUUID(), more)
    await bench.open(`${SHOP}/single`)
    const answer = await bench.post("/login", { entry_id: id })
    if (more.fields !== undefined && !("consent" in more.fields)) expect(answer.json["reason"]).toContain("password")
    expect(told(answer)).toBe("403 sealed_mismatch")
    expect(bench.websites.sent).toEqual([])
    const failed = await waitFor(async () => {
      const line = (await bench.journal()).find(({ entry_id, event }) => entry_id === id && event === "fill")
      return line?.status === "failed" ? line : null
    })
    expect(failed.code).toBe("sealed_mismatch")
  })

  it("sealed with another key is refused", async () => {
    await sodium.ready
    const public_key = Buffer.from(sodium.crypto_box_keypair().publicKey).toString("base64")
    const { id } = await withBox(randomUUID(), { public_key })
    await bench.open(`${SHOP}/single`)
    expect(told(await bench.post("/login", { entry_id: id }))).toBe("403 sealed_mismatch")
  })

  it("is no entry, whatever its bytes: 100,000 boxes", async () => {
    await sodium.ready
    const { publicKey: public_key, privateKey: private_key } = sodium.crypto_box_keypair()
    const sealed = (text: string): string =>
      `hxv1.${Buffer.from(sodium.crypto_box_seal(text, public_key)).toString("base64")}`
    const open = (box: string) => openEntry(box, { public_key, private_key })
    expect(await open(sealed('{"v":1}'))).toEqual({ v: 1 })
    for (const text of ["[]", "1", "null", '"x"', "{", "", '{"a":1}}']) expect(await open(sealed(text))).toBeNull()
    const good = sealed('{"v":1}')
    const bytes = Buffer.from(good.slice(5), "base64")
    const flipped = (at: number, bit: number): string => {
      const copy = Buffer.from(bytes)
      copy[at % copy.length] = (copy[at % copy.length] ?? 0) ^ (1 << (bit % 8))
      return `hxv1.${copy.toString("base64")}`
    }
    const box = fc.oneof(
      fc.string({ maxLength: 200 }),
      fc.base64String({ maxLength: 200 }).map((text) => `hxv1.${text}`),
      fc.nat(good.length - 1).map((to) => good.slice(0, to)),
      fc.tuple(fc.nat(), fc.nat()).map(([at, bit]) => flipped(at, bit))
    )
    await fc.assert(
      fc.asyncProperty(box, async (one) => (await open(one)) === null),
      { numRuns: 100_000 }
    )
  })
})

describe("the local port", () => {
  it("answers no page whose name was bound to this address, not even its own", async () => {
    const { port } = new URL(bench.fill.url)
    await bench.open(`http://rebound.test:${port}/status`)
    // Of the same origin as it takes itself to be: the browser sends the header and asks nobody for leave.
    const script = `fetch("/status", { headers: { "x-hub-vault": "1" } }).then(async (answer) => answer.status + " " + await answer.text())`
    expect(await bench.page.evaluate(script)).toMatch(/^403 .*request_refused/)
  })

  it("knows whose a connection is", async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const service = (server.address() as { readonly port: number }).port
    const socket = connect(service, "127.0.0.1")
    await new Promise((resolve) => socket.once("connect", resolve))
    const LOOPBACK = "127.0.0.1"
    const ends = {
      client: { address: LOOPBACK, port: socket.localPort ?? 0 },
      service: { address: LOOPBACK, port: service }
    }
    const own = process.getuid?.() ?? 0
    expect(ownerIn(await readFile("/proc/net/tcp", "utf8"), ends)).toBe(own)
    expect(await isFrom([own], ends)).toBe(true)
    // To root alone nothing is closed that is another user's.
    expect(await isFrom([own + 1], ends)).toBe(own === 0)
    expect(await isFrom([own], { ...ends, client: { address: LOOPBACK, port: 1 } })).toBe(false)
    socket.destroy()
    server.close()
    const table =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n" +
      "   7: 0100007F:1E61 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 1\n" +
      // Another user's, of the same ports, from another address of the machine; one that has just closed is root's.
      "   8: 0200007F:C350 0100007F:1E61 01 00000000:00000000 00:00000000 00000000  1002        0 2\n" +
      "   9: 0100007F:C350 0100007F:1E61 06 00000000:00000000 03:00000000 00000000     0        0 0\n" +
      "  10: 0100007F:C350 0100007F:1E61 01 00000000:00000000 00:00000000 00000000  1001        0 3\n"
    const of = (address: string) => ({
      client: { address, port: 0xc350 },
      service: { address: LOOPBACK, port: 7777 }
    })
    expect(ownerIn(table, of(LOOPBACK))).toBe(1001)
    expect(ownerIn(table, of("127.0.0.2"))).toBe(1002)
    expect(ownerIn(table, of("127.0.0.3"))).toBeNull()
  })

  it("answers its own user, and a real other one of the machine with nothing but a refusal", async () => {
    const { port } = new URL(bench.fill.url)
    const head = `GET /status HTTP/1.1\\r\\nHost: 127.0.0.1:${port}\\r\\nX-Hub-Vault: 1\\r\\nConnection: close\\r\\n\\r\\n`
    const script = `exec 3<>/dev/tcp/127.0.0.1/${port}; printf '${head}' >&3; cat <&3`
    const askedBy = async (uid: number): Promise<string> =>
      (await promisify(execFile)("/bin/bash", ["-c", script], { uid, cwd: "/" })).stdout
    const own = process.getuid?.() ?? 0
    expect(await askedBy(own)).toMatch(/^HTTP\/1\.1 200 [^]*"ready":true/)
    // Only root can be somebody else.
    const other = await askedBy(own === 0 ? NOBODY : own)
    expect(other).toMatch(own === 0 ? /^HTTP\/1\.1 403 [^]*request_refused/ : /^HTTP\/1\.1 200 /)
  })

  it("refuses what is no request under a code of its own, whatever it is", async () => {
    await bench.open("about:blank")
    const path = fc.constantFrom("/login", "/signup", "/pay", "/secret", "/status", "/none", "//", "/login/../pay")
    const json = fc.json({ maxDepth: 3 }).map((text) => text.slice(0, 5_000))
    const named = fc.record({
      entry_id: fc.jsonValue({ maxDepth: 1 }),
      tab: fc.jsonValue({ maxDepth: 1 }),
      field: fc.jsonValue({ maxDepth: 1 }),
      amount: fc.oneof(fc.double(), fc.string(), fc.jsonValue({ maxDepth: 1 })),
      currency: fc.oneof(fc.constant("EUR"), fc.jsonValue({ maxDepth: 1 })),
      __proto__: fc.constant({ submit: true })
    })
    const body = fc.oneof(
      json,
      named.map((one) => JSON.stringify(one)),
      fc.string({ maxLength: 300 })
    )
    await fc.assert(
      fc.asyncProperty(path, body, async (to, sent) => {
        const answer = await askFill(bench.fill.url, "POST", to, sent)
        expect(told(answer)).toMatch(
          /^(?:403 (?:request_refused|page_not_https)|404 \w+|405 method_not_allowed|422 validation_error|409 \w+)$/
        )
      }),
      { numRuns: 200 }
    )
    expect(told(await bench.post("/login", { tab: "x".repeat(65_536) }))).toBe("413 request_too_large")
  })
})

it("a page that never answers does not hold it up", async () => {
  const { id } = await withBox(randomUUID(), {})
  const [context] = bench.browser.agent.contexts()
  const tab = await context?.newPage()
  await tab?.goto(`${SHOP}/endless`)
  expect(told(await bench.post("/login", { entry_id: id }))).toBe("502 browser_unreachable")
  await tab?.close()
  expect((await askFill(bench.fill.url, "GET", "/status")).status).toBe(200)
})

it("a vault that is revoked while a fill is under way ends the service", async () => {
  const { id } = await withBox(randomUUID(), {})
  await bench.page.exposeFunction("heard", async () => {
    await bench.of.client.call("POST", `${VAULT}/revoke`, { body: { confirm: "revoke" } })
  })
  await bench.open(`${SHOP}/told`)
  const during = await bench.post("/login", { entry_id: id, submit: false })
  // Its ciphertext had left before.
  expect(told(during)).toBe("200 done")
  const after = await waitFor(() =>
    bench
      .post("/login", { entry_id: id })
      .then(told, () => "gone")
      .then((one) => (one === "200 done" ? null : one))
  )
  expect(["409 token_invalid", "gone"]).toContain(after)
  expect(await bench.fill.ended()).toBe(1)
})
