/** Logins by a passkey that the vault holds: what the website gets verifies, and nothing stays in the browser (contract 17). */
import { createHash, createPublicKey, generateKeyPairSync, verify } from "node:crypto"
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest"
import { waitFor } from "../harness/index.ts"
import { type FillBench, openBench, told } from "../support/fill.ts"

const SITE = "https://login.shop.example"
const OTHER = "https://other.example"
const HANDLE = Buffer.from("user 7")

const pair = generateKeyPairSync("ec", { namedCurve: "P-256" })
const passkey = (rp_id: string, name = rp_id) => ({
  credential_id: createHash("sha256").update(name).digest("base64"),
  private_key: pair.privateKey.export({ type: "pkcs8", format: "der" }).toString("base64"),
  rp_id,
  user_handle: HANDLE.toString("base64")
})

let bench: FillBench
let entry: number
beforeAll(async () => {
  bench = await openBench(["login.shop.example", "other.example"])
  const secret = { username: "ada@shop.example", password: "Correct-Horse 7" }
  const fields = { ...secret, passkey: passkey("login.shop.example") }
  entry = (await bench.write({ origins: [SITE, OTHER], fields })).id
})
afterAll(() => bench?.stop())
beforeEach(() => {
  bench.websites.sent.length = 0
})

const taken = () => waitFor(() => bench.lastSent(), { describe: "the website has its answer" })
const bytes = (text = ""): Buffer => Buffer.from(text, "base64")
const COUNT_AT = 33

it("the website verifies what it gets, and its count grows from one login to the next", async () => {
  const counts: Array<number> = []
  for (let login = 0; login < 2; login++) {
    bench.websites.sent.length = 0
    await bench.open(`${SITE}/passkey`)
    const answer = await bench.post("/login", { entry_id: entry })
    expect(answer.json).toEqual({ status: "done", site: SITE, entry_id: entry, filled: ["passkey"], submitted: true })
    const { client, data, signature, user } = await taken()
    const said = JSON.parse(bytes(client).toString("utf8")) as Readonly<Record<string, string>>
    expect([said["type"], said["origin"], bytes(said["challenge"]).toString("utf8")]).toEqual([
      "webauthn.get",
      expect.stringContaining(SITE),
      "a challenge of the website"
    ])
    const signed = Buffer.concat([bytes(data), createHash("sha256").update(bytes(client)).digest()])
    expect(verify("sha256", signed, createPublicKey(pair.privateKey), bytes(signature))).toBe(true)
    expect(bytes(user)).toEqual(HANDLE)
    counts.push(bytes(data).readUInt32BE(COUNT_AT))
  }
  expect(counts[1]).toBeGreaterThan(counts[0] ?? 0)
})

it("nothing of it answers the page afterwards", async () => {
  await bench.open(`${SITE}/passkey`)
  expect(told(await bench.post("/login", { entry_id: entry }))).toBe("200 done")
  await taken()
  const name = await bench.page.evaluate(async () => {
    const ask = (globalThis as unknown as Record<string, (options: object) => Promise<unknown>>)["ask"]
    return ask?.({ signal: AbortSignal.timeout(1000) }).then(
      () => "answered",
      (error: Error) => error.name
    )
  })
  expect(["NotAllowedError", "AbortError", "TimeoutError"]).toContain(name)
})

it("another website that the entry names gets no passkey, but what it asks for besides", async () => {
  await bench.open(`${OTHER}/passkey`)
  expect(told(await bench.post("/login", { entry_id: entry }))).toBe("404 form_not_found")
  expect(bench.websites.sent).toEqual([])
  await bench.open(`${OTHER}/passkey-or-password`)
  const answer = await bench.post("/login", { entry_id: entry })
  expect(answer.json).toMatchObject({ status: "done", filled: ["username", "password"] })
  expect(await taken()).toMatchObject({ email: "ada@shop.example", password: "Correct-Horse 7" })
})

it("is left alone where nothing is to be sent, and refused where it is no key", async () => {
  await bench.open(`${SITE}/passkey`)
  expect(told(await bench.post("/login", { entry_id: entry, submit: false }))).toBe("404 form_not_found")
  const broken = { ...passkey("login.shop.example", "broken"), private_key: Buffer.from("no key").toString("base64") }
  const other = await bench.write({ origins: [SITE], fields: { username: "a", password: "b", passkey: broken } })
  const answer = await bench.post("/login", { entry_id: other.id })
  expect(told(answer)).toBe("403 sealed_mismatch")
  expect(answer.text).not.toContain(broken.private_key)
})
