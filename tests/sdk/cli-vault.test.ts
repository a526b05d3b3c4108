/** A vault by `hub-agent` and by the client, against the service itself: what is sealed is printed nowhere. */
import { execFile } from "node:child_process"
import { chmod, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createClient, type EntryToSeal, isHubError, keyFromSeed } from "../../edge/sdk/client.ts"
import { offer } from "../../edge/sdk/mcp/offer.ts"
import { openEntry } from "../../edge/sdk/vault/seal.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { programPath } from "../harness/index.ts"
import { dataOf } from "../support/outcome.ts"
import { provenOwner } from "../support/owner.ts"
import { declared } from "../support/sponsorship.ts"
import { asHolder, issueToken, oneTimeKey, VAULT } from "../support/vault.ts"
import { agent, closeCliService, edge, folder, openCliService, service } from "./support/cli-agents.ts"
import { errorOf } from "./support/errors.ts"
import { startHost } from "./support/mcp.ts"

const keyOf = async ({ home }: Agent) => keyFromSeed(await readFile(join(home, "key"), "utf8"))

type Agent = Awaited<ReturnType<typeof agent>>

const SECRET = "correct horse battery 18"
const SHOP = "https://shop.example"
const LOGIN = JSON.stringify({ username: "ada", password: SECRET })
const CARD = JSON.stringify({ number: "4111111111111111", exp_month: "04", exp_year: "2031", cvc: "987" })

let ada: Agent
beforeAll(async () => {
  await openCliService({ keeper: true })
  ada = await agent()
  expect(await lines(ada, ["vault", "create"])).toContain("status:  active")
})
afterAll(closeCliService)

const lines = async (one: Agent, args: ReadonlyArray<string>, input?: string): Promise<string> => {
  const { status, out, errors } = await one.run(args, input === undefined ? {} : { input })
  expect([status, errors]).toEqual([0, ""])
  return out
}
const json = async <A>(one: Agent, args: ReadonlyArray<string>, input?: string): Promise<A> =>
  JSON.parse(await lines(one, [...args, "--json"], input)) as A

const sealed = (kind: string, more: ReadonlyArray<string> = []): ReadonlyArray<string> => [
  "vault",
  "seal",
  kind,
  "--stdin",
  ...more
]

/** What stands in the box of an entry, as its own fill service reads it. */
const readBack = async (of: Agent, entry_id: number, action: string, more: object = {}): Promise<unknown> => {
  const ask = asHolder(service, await issueToken(service, of.me.id))
  const key = await oneTimeKey()
  const { ephemeral_public_key } = key
  const loaded = dataOf<{ readonly public_key: string; readonly sealed_key: string }>(
    await ask("POST", `${VAULT}/service/key`, { ephemeral_public_key })
  )
  const fill = dataOf<{ readonly ciphertext: string }>(
    await ask("POST", `${VAULT}/service/fill`, { entry_id, action, origin: SHOP, ...more })
  )
  return openEntry(fill.ciphertext, {
    public_key: Buffer.from(loaded.public_key, "base64"),
    private_key: key.open(loaded.sealed_key)
  })
}

describe("hub-agent vault", () => {
  it("seals what standard input holds, and prints nothing of it", async () => {
    const out = await lines(ada, sealed("login", ["--origin", SHOP, "--label", "My shop"]), LOGIN)
    expect(out).toMatch(/^login \d+ is sealed: My shop, https:\/\/shop\.example\n$/)
    const id = Number(/\d+/.exec(out)?.[0])
    expect(await json(ada, ["vault", "show", String(id)])).toMatchObject({
      id,
      kind: "login",
      origins: [SHOP],
      uses: 0
    })
    expect(await readBack(ada, id, "login")).toMatchObject({ username: "ada", password: SECRET, kind: "login" })
    for (const args of [
      ["vault", "list"],
      ["vault", "log"],
      ["vault", "show", String(id)]
    ]) {
      const told = (await lines(ada, args)) + (await lines(ada, [...args, "--json"]))
      expect([told.includes(SECRET), told.includes("hxv1.")]).toEqual([false, false])
    }
    expect(await lines(ada, ["vault", "list"])).toMatch(
      new RegExp(`\\n${id} +login +0 +My shop +${SHOP}\\npage 1 of 1, 1 in all\\n$`)
    )
    expect(await lines(ada, ["vault", "log"])).toMatch(new RegExp(`fill +fill_service +${id} +pending +${SHOP}\\n`))
  })

  it.each([
    ["--label", "Home"],
    ["--origin", SHOP],
    ["--consent", "owner"]
  ])("takes no %s for a profile", async (option, value) => {
    const input = JSON.stringify({ email: "ada@example.org" })
    const { status, errors } = await ada.run(sealed("profile", [option, value]), { input })
    expect([status, errors]).toEqual([2, expect.stringContaining("a profile is sealed as a whole")])
  })

  it("lets a card be narrowed, and no other way", async () => {
    const limits = ["--limits", "EUR,50,100,5", "--consent", "above=20"]
    const { id } = await declared((await provenOwner(service)).person, { agent: ada.me })
    await lines(ada, ["confirm", String(id)])
    const card = await json<{ readonly id: number }>(ada, sealed("card", limits), CARD)
    expect(card).toMatchObject({
      consent: { above: "20.00", currency: "EUR" },
      limits: { currency: "EUR", per_payment: "50.00", per_day: "100.00", fills_per_day: 5 }
    })
    const pay = { amount: "5", currency: "EUR" }
    expect(await readBack(ada, card.id, "pay", pay)).toMatchObject({
      cvc: "987",
      limits: { per_payment: "50.00" },
      consent: { above: "20.00", currency: "EUR" }
    })
    expect(await lines(ada, ["vault", "show", String(card.id)])).toContain(
      "consent:  your owners are asked above 20.00 EUR\n"
    )
    const narrow = (...more: ReadonlyArray<string>) => ada.run(["vault", "narrow", String(card.id), ...more])
    expect(await narrow("--origin", SHOP, "--limits", "EUR,20,100,5")).toMatchObject({
      status: 0,
      out: expect.stringContaining("limits:   20.00 a payment, 100.00 a day (EUR), 5 fills a day\n")
    })
    expect(await narrow("--limits", "EUR,21,100,5")).toMatchObject({
      status: 1,
      errors: expect.stringContaining("vault_widening_refused")
    })
    expect(await narrow()).toMatchObject({ status: 2 })
    expect(await lines(ada, ["vault", "delete", String(card.id)])).toBe(`entry ${card.id} is deleted\n`)
    expect(await ada.run(["vault", "show", String(card.id)])).toMatchObject({
      status: 1,
      errors: expect.stringContaining("entry_unknown")
    })
  })

  it.each([
    [["login", "--password", SECRET], LOGIN],
    [["login", `--password=${SECRET}`], LOGIN],
    [["login", "--username", SECRET], LOGIN],
    [["card", "--number", "4111111111111111", "--cvc", "987"], CARD],
    [["login", SECRET], LOGIN],
    [[SECRET], LOGIN],
    [["login", "--origin", SHOP, "--label", "4111 1111 1111 1111"], LOGIN],
    [["login", "--origin", SHOP, "--source-token-file", `hxs_${"0".repeat(24)}${"A".repeat(43)}`], LOGIN]
  ])("refuses a secret as an argument, and says why: %j", async (args, input) => {
    const before = await lines(ada, ["vault", "list"])
    const { status, out, errors } = await ada.run(["vault", "seal", ...args, "--stdin"], { input })
    expect([status, out]).toEqual([2, ""])
    expect(errors).toContain("never an argument")
    for (const secret of [SECRET, "4111", "987", "hxs_"]) expect(errors).not.toContain(secret)
    expect(await lines(ada, ["vault", "list"])).toBe(before)
  })

  it.each([
    [sealed("login"), LOGIN, "origins"],
    [sealed("login", ["--origin", `${SHOP}/`]), LOGIN, "origins.0"],
    [sealed("login", ["--origin", SHOP]), JSON.stringify({ username: "ada", password: `${SECRET}\n` }), "password"],
    [sealed("login", ["--origin", SHOP]), JSON.stringify({ username: "ada", pasword: SECRET }), "login"],
    [sealed("login", ["--origin", SHOP, "--label", SECRET]), LOGIN, "label"],
    [sealed("login", ["--origin", SHOP]), `{"password": "${SECRET}`, "JSON"],
    [sealed("login", ["--origin", SHOP]), JSON.stringify(SECRET), "JSON object"],
    [sealed("card"), CARD, "limits"],
    [sealed("card", ["--limits", "EUR,50"]), CARD, "--limits"],
    [sealed("card", ["--limits", "EUR,50,100,5"]), CARD.replace("04", "4"), "exp_month"],
    [sealed("login", ["--origin", SHOP, "--consent", "above=5"]), LOGIN, "--consent"],
    [["vault", "seal", "login", "--origin", SHOP], LOGIN, "--stdin"]
  ])("%j with what is wrong is refused by its name, not by what it was", async (args, input, named) => {
    for (const more of [[], ["--json"]]) {
      const { status, out, errors } = await ada.run([...args, ...more], { input })
      expect([status, out]).toEqual([2, ""])
      expect(errors).toContain(named)
      expect(errors).not.toContain(SECRET)
      expect(errors).not.toContain("4111")
    }
  })

  it("asks at a terminal, which shows no secret", async () => {
    const answers = [
      ["User name", "ada\n"],
      ["Password (not shown", `${SECRET}x\u007f\r`],
      ["authenticator app, or nothing (not shown", "\r"]
    ]
    const program = [process.execPath, "--no-warnings", await programPath("agent")]
    const command = [...program, "vault", "seal", "login", "--origin", SHOP]
    const { PATH, HOME } = process.env
    const { stdout } = await promisify(execFile)(
      "python3",
      [join(projectRoot, "tests/sdk/support/terminal.py"), JSON.stringify(answers), ...command],
      { env: { PATH, HOME, HUB_URL: edge, HUB_AGENT_HOME: ada.home } }
    )
    const { status, shown } = JSON.parse(stdout) as { readonly status: number; readonly shown: string }
    expect([status, shown.includes(SECRET), shown.includes("ada")]).toEqual([0, false, true])
    const id = Number(/login (\d+) is sealed/.exec(shown)?.[1])
    expect(await readBack(ada, id, "login")).toMatchObject({ username: "ada", password: SECRET })
  })

  it("revokes when it is told the word", async () => {
    const bob = await agent()
    await lines(bob, ["vault", "create"])
    expect(await bob.run(["vault", "revoke"], { input: "yes\n" })).toMatchObject({
      status: 1,
      errors: expect.stringContaining("not_confirmed")
    })
    expect(await bob.run(["vault", "revoke"], { input: "" })).toMatchObject({ status: 1 })
    expect(await lines(bob, ["vault", "show"])).toContain("status:  active")
    const { status, out } = await bob.run(["vault", "revoke"], { input: "revoke\n" })
    expect([status, out]).toEqual([0, expect.stringMatching(/^revoked at \S+Z\n$/)])
    expect(await lines(bob, ["vault", "show"])).toContain("status:  revoked since")
    expect(await bob.run(sealed("login", ["--origin", SHOP]), { input: LOGIN })).toMatchObject({
      status: 1,
      errors: expect.stringContaining("vault_not_active")
    })
  })
})

describe("a source", () => {
  it("seals by a token in a file, without a key; ended, it is refused", async () => {
    const made = await ada.run(["vault", "source", "--label", "Bank", "--kind", "login", "--kind", "secret"])
    expect([made.status, made.errors, made.out.includes("hxs_")]).toEqual([0, "", false])
    const [, id = "", file = ""] = /^source (\d+) writes login, secret; its token is in (.+)\n$/.exec(made.out) ?? []
    const token = (await readFile(file, "utf8")).trim()
    expect([(await stat(file)).mode & 0o777, file]).toEqual([0o600, join(ada.home, `source-${id}`)])
    expect(await lines(ada, ["vault", "sources"])).toMatch(/\n\d+ +login secret +\S+Z +Bank\npage/)

    const stranger = { ...ada, home: join(folder, "nobody") }
    const seal = (kind: string, more: ReadonlyArray<string>, input: string, from = file) =>
      stranger.run(sealed(kind, ["--home", stranger.home, "--source-token-file", from, ...more]), { input })
    const written = await seal("login", ["--origin", SHOP, "--json"], LOGIN)
    expect([written.status, written.errors]).toEqual([0, ""])
    const entry = JSON.parse(written.out) as { readonly id: number }
    expect(Object.keys(entry)).toEqual(["id", "uid"])
    expect(await readBack(ada, entry.id, "login")).toMatchObject({ password: SECRET })
    expect(await json(ada, ["vault", "show", String(entry.id)])).toMatchObject({ source: `source:${id}` })
    const other = await seal("card", ["--limits", "EUR,50,100,5"], CARD)
    expect([other.status, other.errors]).toEqual([1, expect.stringContaining("vault_kind_not_allowed")])

    await chmod(file, 0o644)
    expect(await seal("login", ["--origin", SHOP], LOGIN)).toMatchObject({
      status: 1,
      errors: expect.stringContaining("file_mode")
    })
    await chmod(file, 0o600)
    expect(await lines(ada, ["vault", "source", "--end", id])).toBe(`source ${id} is ended\n`)
    const ended = await seal("login", ["--origin", SHOP], LOGIN)
    expect([ended.status, ended.errors]).toEqual([1, expect.stringContaining("token_invalid")])
    expect(ended.errors).not.toContain(token)
    expect(await seal("login", ["--origin", SHOP], LOGIN, join(folder, "nowhere"))).toMatchObject({
      status: 1,
      errors: expect.stringContaining("file_unreadable")
    })
  })

  it("has its token hidden in JSON, by call too, unless it is asked for", async () => {
    const args = ["vault", "source", "--label", "Bank", "--kind", "card", "--json"]
    const [hidden, shown] = [await lines(ada, args), await lines(ada, [...args, "--show-secret"])]
    expect([hidden.includes("hxs_"), shown.includes("hxs_")]).toEqual([false, true])
    const { id, file: kept } = JSON.parse(hidden) as { readonly id: number; readonly file: string }
    expect([kept, await readFile(kept, "utf8")]).toEqual([
      join(ada.home, `source-${id}`),
      expect.stringMatching(/^hxs_/)
    ])
    const called = await ada.run(["call", "post", "/vault/sources", '{"label": "x", "kinds": ["card"]}'])
    expect([called.status, called.out.includes("hxs_")]).toEqual([0, false])
    const [, file = ""] = /^the source's token is in (.+)\n$/.exec(called.errors) ?? []
    expect(await readFile(file, "utf8")).toMatch(/^hxs_\S+\n$/)
    const taken = join(folder, "taken")
    await writeFile(taken, "")
    const refused = await ada.run([...args, "--output", taken])
    expect([refused.status, refused.errors]).toEqual([1, expect.stringContaining("file_exists")])
    expect(await ada.run(["vault", "source", "--label", "x", "--kind", "note"])).toMatchObject({ status: 2 })
  })
})

describe("a model", () => {
  it("makes a source without hearing its token, and is not offered what cannot be taken back", async () => {
    const host = await startHost(edge, ada.home, ["--tools", "all"])
    try {
      const { text, structured } = await host.call("createVaultSource", { label: "Bank", kinds: ["login"] })
      expect(text).not.toContain("hxs_")
      const { id } = (structured as { readonly data: { readonly id: number } }).data
      expect(await readFile(join(ada.home, `source-${id}`), "utf8")).toMatch(/^hxs_\S+\n$/)
    } finally {
      await host.stop()
    }
    const names = (words: string) => offer(words, false).map(({ name }) => String(name))
    for (const name of ["revokeVault", "deleteVaultEntry"])
      expect([name, names("all").includes(name), names(`read,${name}`).includes(name)]).toEqual([name, false, true])
  })
})

describe("the client", () => {
  it("seals for its own agent, and for the agent whose token a source has", async () => {
    const hub = createClient({ hub: edge, key: await keyOf(ada) })
    const entry: EntryToSeal = { kind: "secret", origins: [SHOP], value: SECRET }
    const { data } = await hub.operations.writeVaultEntry(await hub.sealEntry(entry))
    expect(await readBack(ada, data.id, "secret")).toMatchObject({ value: SECRET })
    const { data: made } = await hub.operations.createVaultSource({ label: "Bank", kinds: ["secret"] })
    const source = createClient({ hub: edge, sourceToken: made.token })
    const { id } = await source.write(entry)
    expect(await readBack(ada, id, "secret")).toMatchObject({ value: SECRET })
    const refused = await errorOf(source.write({ ...entry, kind: "login" } as never))
    expect(isHubError(refused, "invalid_argument")).toBe(true)
    await hub.operations.deleteVaultSource({ id: made.id })
    expect(await errorOf(source.vault())).toMatchObject({ code: "token_invalid", status: 401 })
  })
})
