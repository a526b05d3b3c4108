/** The code on the languages' pages, taken out of them and run as it stands. */
import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import signing from "../vectors/request-signing.json" with { type: "json" }
import webhooks from "../vectors/webhook-signing.json" with { type: "json" }
import {
  patch,
  proof,
  delivery,
  world,
  texts,
  folder,
  block,
  intentions,
  refuseOnce,
  run,
  freshKey,
  openPages,
  ANSWERS,
  FORM,
  EXCHANGES,
  deliveries,
  TOLD,
  receives,
  registersByCommands,
  workHolds
} from "./docs-programs.ts"

beforeAll(openPages)
afterAll(() => world.stop())

describe("the way from an address to a file", () => {
  const ways = [
    ["reference", ["hub.mjs"]],
    ["javascript", ["hub.mjs"]],
    ["python", ["hub.py"]],
    ["shell", ["hub.sh", "register.sh"]]
  ] as const

  it.each(ways)("is in %s, as it stands", async (page, files) => {
    const commands = /^```sh\n([\s\S]*?)^```/m.exec(texts.get(page) ?? "")?.[1]?.split("\n") ?? []
    for (const name of files) await rm(join(folder, name))
    await run("sh", ["-c", commands.filter((line) => /^(curl|for) /.test(line)).join("\n")])
    for (const name of files) expect(await readFile(join(folder, name), "utf8")).toBe(block(name))
  })
})

it("the one example of signing gives the vectors", async () => {
  await writeFile(
    join(folder, "try-sign.mjs"),
    `import { headersFor } from "./sign.mjs"
const seed = Buffer.from(${JSON.stringify(signing.seed)}, "base64")
const body = ${JSON.stringify(patch?.body)}
console.log(JSON.stringify(
  headersFor(seed, "PATCH", "hub.example", "/api/v1/me", body, "1767225600", "example-nonce-0002")
))`
  )
  expect(JSON.parse((await run(process.execPath, ["try-sign.mjs"])).stdout)).toMatchObject({
    "X-Hub-Key": signing.public_key,
    "X-Hub-Signature": patch?.signature
  })
})

describe("its code in JavaScript", () => {
  const script = async (code: string): Promise<unknown> => {
    await writeFile(join(folder, "try.mjs"), code)
    return JSON.parse((await run(process.execPath, ["--no-warnings", "try.mjs"])).stdout)
  }

  it("gives the vectors", async () => {
    const [nonce, ...result] = (await script(`import { keysOf, proofOfWork, signature, stringToSign } from "./hub.mjs"
const keys = keysOf(Buffer.from(${JSON.stringify(signing.seed)}, "base64"))
const text = stringToSign("PATCH", "hub.example", "/api/v1/me", "1767225600", "example-nonce-0002", ${JSON.stringify(patch?.body)})
const work = await proofOfWork(${JSON.stringify(proof?.prefix)}, 4)
console.log(JSON.stringify([work, keys.publicKey, keys.hubId, text, signature(keys, text)]))`)) as ReadonlyArray<unknown>
    expect(result).toEqual([signing.public_key, signing.hub_id, patch?.string_to_sign, patch?.signature])
    expect(workHolds(nonce)).toBe(true)
  })

  it("registers by three commands, with the key in its file first", () =>
    registersByCommands(process.execPath, "hub.mjs"))

  it("registers from a program: all questions before any answer", async () => {
    await freshKey("seed.txt")
    expect(
      await script(`import { register } from "./hub.mjs"
const answer = async (questions) => questions.length === 2 ? ${JSON.stringify(ANSWERS)} : {}
console.log(JSON.stringify(await register("seed.txt", "ada", "Ada Ü", answer)))`)
    ).toMatchObject({ input: { form: FORM } })
  })

  it("knows a delivery of the service's from others", async () => {
    expect(
      await script(`import { verifyWebhook } from "./hub.mjs"
const secret = ${JSON.stringify(webhooks.secret)}
const arrived = ${JSON.stringify(deliveries())}
const told = arrived.map(({ headers, body }) => verifyWebhook(secret, headers, Buffer.from(body)))
Date.now = () => ${delivery?.timestamp}000
const vector = {
  "webhook-id": ${JSON.stringify(delivery?.id)},
  "webhook-timestamp": ${JSON.stringify(delivery?.timestamp)},
  "webhook-signature": "v1,${delivery?.v1}"
}
const body = ${JSON.stringify(delivery?.body)}
console.log(JSON.stringify([...told, verifyWebhook(secret, vector, body), verifyWebhook("whsec_AAAA", {}, "")]))`)
    ).toEqual(TOLD)
    await receives(process.execPath, ["receiver.mjs"])
  })

  it("keeps the key that is there", async () => {
    const result = (await script(`import { keysFrom } from "./hub.mjs"
console.log(JSON.stringify([keysFrom("kept.txt").hubId, keysFrom("kept.txt").hubId]))`)) as ReadonlyArray<string>
    expect(result[0]).toBe(result[1])
  })

  it("hands on what comes with the data, bodies that are empty, and refusals", async () => {
    const result = await script(`import { entries, HubError, keysFrom, request } from "./hub.mjs"
const keys = keysFrom("kept.txt")
const head = await request(keys, "HEAD", "/api/v1/me")
const all = []
for await (const agent of entries(null, "/api/v1/agents?sort=handle")) all.push(agent)
const { meta } = await request(null, "GET", "/api/v1/agents")
const refusal = await request(keys, "GET", "/api/v1/agents/nobody").catch((error) => error instanceof HubError && error)
const text = (await request(null, "GET", "/api/v1/docs/hub-id")).data
console.log(JSON.stringify({
  head: { status: head.status, data: head.data }, list: { agents: all.length, first: all[0].handle, meta },
  refusal: { status: refusal.status, code: refusal.code, resource: refusal.details.resource }, text: text.slice(0, 2)
}))`)
    expect(result).toEqual(EXCHANGES)
  })

  it("comes back when it is told to, with the same intention", async () => {
    refuseOnce("agent.update")
    intentions.length = 0
    const result = await script(`import { keysFrom, patiently, request } from "./hub.mjs"
const keys = keysFrom("kept.txt")
const first = await request(keys, "PATCH", "/api/v1/me", { name: "x" }).catch((error) => [error.code, error.retryAfter])
console.log(JSON.stringify([first, (await patiently(keys, "PATCH", "/api/v1/me", { name: "x" })).status]))`)
    expect(result).toEqual([["overloaded", 1], 200])
    refuseOnce("agent.update")
    await script(`import { keysFrom, patiently } from "./hub.mjs"
console.log((await patiently(keysFrom("kept.txt"), "PATCH", "/api/v1/me", { name: "x" })).status)`)
    const [, first, again] = intentions
    expect([intentions.length, first]).toEqual([3, again])
  })
})
