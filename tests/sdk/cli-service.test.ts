/** `hub-agent` from the key to the recovery, against the service itself. */
import { createHmac } from "node:crypto"
import { readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createClient, keyFromSeed } from "../../edge/sdk/client.ts"
import { answersOf } from "../api/steps.ts"
import { waitFor } from "../harness/index.ts"
import { freshHandle } from "../support/register.ts"
import { startPlayer } from "./support/player.ts"
import {
  SOLVER,
  RECOVERY_DELAY_SECONDS,
  service,
  edge,
  folder,
  openCliService,
  closeCliService,
  newHome,
  runIn,
  seedIn,
  publicKeyIn,
  agent,
  me
} from "./support/cli-agents.ts"
import { rotateTests } from "./support/cli-rotate.ts"

let registered = ""

beforeAll(() => openCliService())
afterAll(closeCliService)

describe("register", () => {
  test("by a solver: the profile is shown, the secret goes to a file", async () => {
    const [home, handle] = [newHome(), freshHandle()]
    const run = runIn(home)
    await run(["init"])
    const { status, out, errors } = await run([
      "register",
      "--handle",
      handle,
      "--name",
      "Ada",
      "--solver",
      SOLVER,
      "--link",
      "home=https://ada.example",
      "--description",
      "I count."
    ])
    expect([status, errors]).toEqual([0, ""])
    const secret = (await seedIn(home, "webhook-secret")).trim()
    expect(secret).toMatch(/^whsec_/)
    expect((await stat(join(home, "webhook-secret"))).mode & 0o777).toBe(0o600)
    expect(out).toContain(`handle: ${handle}`)
    expect(out).not.toContain(secret)
    expect(out).not.toContain((await seedIn(home)).trim())
    expect(await me(run)).toMatchObject({
      handle,
      public_key: await publicKeyIn(home),
      description: "I count.",
      links: [{ label: "home", url: "https://ada.example" }]
    })
    registered = home
  })

  test("over standard output and input", async () => {
    const run = runIn(newHome())
    await run(["init"])
    let answered = false
    const { status, out } = await run(["register", "--handle", freshHandle(), "--name", "Piped", "--json"], {
      onOutput: async (so_far) => {
        const [line = "", rest] = so_far.split("\n", 2)
        if (answered || rest === undefined) return undefined
        answered = true
        const { id, questions } = JSON.parse(line) as {
          readonly id: string
          readonly questions: ReadonlyArray<unknown>
        }
        expect(questions).toHaveLength(5)
        return `${JSON.stringify(await answersOf(service.view, id), null, 1)}\n`
      }
    })
    expect(status).toBe(0)
    const shown = JSON.parse(out.split("\n")[1] ?? "") as { readonly name: string; readonly webhook_secret: string }
    expect(shown.name).toBe("Piped")
    expect(shown.webhook_secret).not.toMatch(/^whsec_/)
  })

  test.each([
    ["exit 3", "solver_failed", "status 3"],
    ["echo no json", "solver_failed", "JSON"],
    ["echo '[1]'", "solver_failed", "JSON"],
    ["yes", "input_too_large", "65536"],
    [`echo '{"q1":"nobody"}'`, "challenge_wrong_answers", ""]
  ])("a solver that does %j", async (solver, code, words) => {
    const run = runIn(newHome())
    await run(["init"])
    const { status, errors } = await run([
      "register",
      "--handle",
      freshHandle(),
      "--name",
      "Ada",
      "--attempts",
      "1",
      "--solver",
      solver
    ])
    const last = errors.trim().split("\n").at(-1)
    expect([status, last]).toEqual([1, expect.stringMatching(new RegExp(`^hub-agent: ${code}: `))])
    expect(last).toContain(words)
  })

  test("without answers on standard input", async () => {
    const run = runIn(newHome())
    await run(["init"])
    expect(await run(["register", "--handle", freshHandle(), "--name", "Ada"], { input: "" })).toMatchObject({
      status: 1,
      errors: expect.stringContaining("no_answers")
    })
  })
})

describe("whoami, calls, attest", () => {
  test("are the registered agent's", async () => {
    const run = runIn(registered)
    const { status, out } = await run(["whoami"])
    expect([status, out]).toEqual([0, expect.stringMatching(/^handle: .*\nname: .*\nnumber: HX-\d{6}\n/)])
    expect(JSON.parse((await run(["call", "patch", "/me", '{"name":"Ada L."}'])).out)).toMatchObject({ name: "Ada L." })
    expect(await run(["call", "patch", "/me", '{"name":""}'])).toMatchObject({
      status: 1,
      errors: expect.stringMatching(/^hub-agent: validation_error: .*name/)
    })
    expect((await run(["attest"])).out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
  })
})

describe("prove", () => {
  interface Verdict {
    readonly valid: boolean
    readonly id: string
  }
  const verdictOn = async (
    host: string,
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>
  ): Promise<Verdict> =>
    (await createClient({ hub: edge }).post("/id/verify", { body: { method, host, path, headers } })).data as Verdict

  test("prints headers that hold", async () => {
    const run = runIn(registered)
    const { hx_id } = await me(run)
    const { out } = await run(["prove", "https://shop.example/cart?x=1", "--method", "POST"])
    const headers = Object.fromEntries(
      out
        .trim()
        .split("\n")
        .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)])
    )
    expect(Object.keys(headers)).toEqual(["Hub-Id", "Hub-Timestamp", "Hub-Nonce", "Hub-Signature", "User-Agent"])
    expect(await verdictOn("shop.example", "POST", "/cart?x=1", headers)).toMatchObject({ valid: true, id: hx_id })
    expect(await verdictOn("shop.example", "POST", "/cart?x=2", headers)).toMatchObject({
      valid: false,
      reason: "bad_signature"
    })
  })

  test("makes the request", async () => {
    const run = runIn(registered)
    const shop = await startPlayer(async (asked, response) => {
      const headers = Object.fromEntries(Object.entries(asked.headers).map(([name, value]) => [name, String(value)]))
      const { valid, id } = await verdictOn(shop.host, asked.method, asked.target, headers)
      response.writeHead(valid ? 200 : 403).end(`${asked.method} by ${id}: ${asked.body}`)
    })
    try {
      const { hx_id } = await me(run)
      expect(await run(["prove", `${shop.url}/cart`, "--fetch", "--method", "POST", "--body", "one pear"])).toEqual({
        status: 0,
        out: `POST by ${hx_id}: one pear`,
        errors: `200 ${shop.url}/cart\n`
      })
      expect(await run(["prove", "http://shop.example/", "--fetch"])).toMatchObject({
        status: 1,
        errors: expect.stringContaining("insecure_address")
      })
    } finally {
      await shop.stop()
    }
  })
})

describe("verify-webhook", () => {
  test("knows a delivery by the kept secret", async () => {
    const run = runIn(registered)
    const secret = Buffer.from((await seedIn(registered, "webhook-secret")).trim().slice("whsec_".length), "base64")
    const [timestamp, body] = [
      String(Math.floor(Date.now() / 1000)),
      '{"type":"webhook.test","timestamp":"2026-01-01T00:00:00.000Z"}'
    ]
    const signature = `v1,${createHmac("sha256", secret).update(`ntf_1.${timestamp}.${body}`).digest("base64")}`
    const args = (text: string) => [
      "verify-webhook",
      "--id",
      "ntf_1",
      "--timestamp",
      timestamp,
      "--signature",
      signature,
      text
    ]
    expect(await run(args(body))).toMatchObject({
      status: 0,
      out: "genuine: webhook.test of 2026-01-01T00:00:00.000Z\n"
    })
    expect(await run(args("-"), { input: body })).toMatchObject({ status: 0 })
    expect(await run(args(`${body} `))).toMatchObject({
      status: 1,
      errors: "hub-agent: webhook_invalid: no signature of the delivery holds\n"
    })
  })
})

describe("rotate", rotateTests)

describe("recovery", () => {
  test("is set, shown and switched off; its key is kept apart", async () => {
    const { home, run } = await agent()
    const out = join(folder, "safe.key")
    const set = await run(["recovery", "set", "--out", out])
    expect([set.status, set.out]).toEqual([
      0,
      expect.stringContaining(`with a delay of ${RECOVERY_DELAY_SECONDS} seconds`)
    ])
    expect((await stat(out)).mode & 0o777).toBe(0o600)
    const safe = await keyFromSeed(await readFile(out, "utf8"))
    const { publicKey } = safe
    expect((await run(["recovery", "show"])).out).toContain(publicKey)
    expect(JSON.parse((await run(["recovery", "set", "--json"])).out)).toMatchObject({
      recovery_public_key: await publicKeyIn(home, "recovery.key")
    })
    const unproven = await run(["recovery", "set", "--public-key", publicKey])
    const text = JSON.parse(/signature of (".*"), read/.exec(unproven.errors)?.[1] ?? '""') as string
    expect([unproven.status, text.split("\n")[0]]).toEqual([2, "HUB-RECOVERY-V1"])
    const proven = ["recovery", "set", "--json", "--public-key", publicKey, "--proof", await safe.sign(text)]
    expect(JSON.parse((await run(proven)).out)).toMatchObject({ recovery_public_key: publicKey })
    expect((await run(["recovery", "off"])).out).toBe("recovery is off\n")
    expect(await run(["recovery", "cancel"])).toMatchObject({
      status: 1,
      errors: expect.stringContaining("recovery_not_pending")
    })
  })

  test("brings an account back into a new folder", async () => {
    const { home, run, me: before } = await agent()
    await run(["recovery", "set"])
    const [lost, args] = [
      newHome(),
      ["recovery", "run", "--agent", before.handle, "--recovery-key", join(home, "recovery.key")]
    ]
    const begun = await runIn(lost)(args)
    expect([begun.status, begun.errors]).toEqual([0, ""])
    const first = await publicKeyIn(lost)
    // At once: it has to come before the recovery does.
    expect((await run(["recovery", "cancel"])).status).toBe(0)
    const anew = await runIn(lost)(args)
    expect([anew.status, anew.errors]).toEqual([0, ""])
    const again = JSON.parse((await runIn(lost)([...args, "--json"])).out) as { readonly new_public_key: string }
    expect(again.new_public_key).toBe(await publicKeyIn(lost))
    expect((await readdir(lost)).filter((name) => name.startsWith("key.unused-"))).toHaveLength(1)
    expect(await publicKeyIn(lost)).not.toBe(first)
    expect(await runIn(home)(args)).toMatchObject({ status: 1, errors: expect.stringContaining("file_exists") })
    const after = await waitFor(() => me(runIn(lost)))
    expect(after).toMatchObject({ id: before.id, hx_id: before.hx_id, public_key: await publicKeyIn(lost) })
    expect(await runIn(lost)([...args, "--current-key", before.public_key])).toMatchObject({ status: 1 })
  })
})
