/** The documentation's code in shell, run. */
import { statSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import signing from "../vectors/request-signing.json" with { type: "json" }
import webhooks from "../vectors/webhook-signing.json" with { type: "json" }
import {
  get,
  patch,
  proof,
  world,
  folder,
  AGENTS,
  intentions,
  playRegistration,
  refuseOnce,
  run,
  freshKey,
  openPages,
  ANSWERS,
  FORM,
  deliveries
} from "./docs-programs.ts"

beforeAll(openPages)
afterAll(() => world.stop())

const shell = async (commands: string, env = ""): Promise<string> =>
  (await run("sh", ["-c", `${env}\n. ./hub.sh\n${commands}`])).stdout

describe("its code in shell", () => {
  beforeAll(async () => {
    const der = Buffer.concat([
      Buffer.from("302e020100300506032b657004220420", "hex"),
      Buffer.from(signing.seed, "base64")
    ])
    const pem = `-----BEGIN PRIVATE KEY-----\n${der.toString("base64")}\n-----END PRIVATE KEY-----\n`
    await writeFile(join(folder, "vector-key.pem"), pem)
  })

  it("gives the vectors", async () => {
    const out = await shell(
      `hub_public_key; echo; hub_id; echo
hub_sign GET '${get?.path}' 1767225600 example-nonce-0001 ''; echo
hub_sign PATCH /api/v1/me 1767225600 example-nonce-0002 '${patch?.body}'; echo
hub_pow '${proof?.prefix}' 4`,
      "HUB_HOST=hub.example HUB_PEM=vector-key.pem"
    )
    expect(out.split("\n")).toEqual([
      signing.public_key,
      signing.hub_id,
      get?.signature,
      patch?.signature,
      proof?.nonce
    ])
  })

  it("registers, as it stands", async () => {
    await freshKey("hub-key.pem")
    await run("sh", ["register.sh", "challenge"])
    const { stdout } = await run("sh", ["register.sh", "questions"])
    expect(JSON.parse(stdout)).toEqual([
      { id: "q1", prompt: "One?" },
      { id: "q2", prompt: "Zwölf?" }
    ])
    await writeFile(join(folder, "answers.json"), JSON.stringify(ANSWERS))
    intentions.length = 0
    const registered = await run("sh", ["register.sh", "answer", "ada", "Ada Ü"])
    expect(registered.stdout).toBe(await shell("hub_id"))
    expect(JSON.parse(await readFile(join(folder, "registered.json"), "utf8"))).toMatchObject({
      data: { input: { form: FORM } }
    })
    expect(statSync(join(folder, "registered.json")).mode & 0o777).toBe(0o600)
    expect(intentions).toHaveLength(1)
  })

  it("knows a delivery of the service's from others", async () => {
    const results: Array<string> = []
    for (const { headers, body } of deliveries()) {
      await writeFile(join(folder, "delivery.json"), body)
      results.push(
        await shell(
          `hub_verify_webhook '${webhooks.secret}' '${headers["webhook-id"]}' '${headers["webhook-timestamp"]}' \\
'${headers["webhook-signature"]}' < delivery.json && echo good || echo bad`
        )
      )
    }
    expect(results).toEqual(["good\n", "bad\n", "bad\n"])
  })

  it("shows a refusal and stops", async () => {
    world.node.on("challenge.serve", () => ({ head: { refused: { code: "pow_invalid", message: "no" } } }))
    await expect(run("sh", ["register.sh", "questions"])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("pow_invalid")
    })
    playRegistration(world.node)
  })

  it("reads and writes, signed and unsigned, as it stands", async () => {
    const out = await shell(
      `hub GET /api/v1/me; echo; hub PATCH /api/v1/me '{"name":"Zoë"}'; echo
hub_unsigned GET '/api/v1/agents?per_page=1' | hub_field meta total; echo; hub_id`
    )
    const [me, patched, total, id] = out.split("\n")
    expect(JSON.parse(me ?? "")).toMatchObject({ ok: true, data: { id } })
    expect(JSON.parse(patched ?? "")).toMatchObject({ ok: true, data: { id } })
    expect(total).toBe(String(AGENTS))
  })

  it("does not wait for the body of a HEAD", async () => {
    expect(await shell("hub HEAD /api/v1/me")).toMatch(/^HTTP\/1\.1 200/)
  })

  it("fails where the service refuses, with the envelope and its headers", async () => {
    const out = await shell('hub GET /api/v1/agents/nobody || echo "|$?|$(hub_header content-type)"')
    const [envelope, status, type] = out.trim().split("|")
    expect([JSON.parse(envelope ?? "").error.code, status, type]).toEqual([
      "not_found",
      "22",
      "application/json; charset=utf-8"
    ])
  })

  it("goes through a list page after page", async () => {
    const out = await shell("(. ./pages.sh)")
    expect(out.match(/"agent-\d+"/g)).toHaveLength(AGENTS)
  })

  it("comes back when it is told to, with the same intention, and gives up on what no wait can mend", async () => {
    refuseOnce("agent.update")
    intentions.length = 0
    const out = await shell(
      `hub_patiently PATCH /api/v1/me '{"name":"x"}'; hub_patiently GET /api/v1/agents/nobody || echo refused`
    )
    const [patched, nobody, refused] = out.trim().split("\n")
    expect([JSON.parse(patched ?? "").ok, JSON.parse(nobody ?? "").error.code, refused]).toEqual([
      true,
      "not_found",
      "refused"
    ])
    expect(intentions).toHaveLength(2)
    expect(intentions[0]).toBe(intentions[1])
  })

  it("tries a line that is broken again, and says so in the end", async () => {
    await expect(
      shell("sleep() { :; }\nhub_patiently GET /api/v1/me", "HUB_URL=http://127.0.0.1:1")
    ).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/(curl: \(7\)[^]*){5}/) })
  })
})
