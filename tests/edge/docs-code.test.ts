/** The code on the languages' pages, taken out of them and run as it stands. */
import { execFile, spawn } from "node:child_process"
import { createHash, createHmac } from "node:crypto"
import { once } from "node:events"
import { existsSync, statSync } from "node:fs"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { webhookString } from "../../schemas/signing/webhook.ts"
import { drawPort } from "../../ops/launcher/ports.ts"
import { testFolder, waitFor } from "../harness/index.ts"
import signing from "../vectors/request-signing.json" with { type: "json" }
import pow from "../vectors/proof-of-work.json" with { type: "json" }
import webhooks from "../vectors/webhook-signing.json" with { type: "json" }
import { openWorld, type World } from "./edge.ts"
import { blockOf, PYTHON_KEYS, servedTexts, type Texts } from "./served-docs.ts"

const execute = promisify(execFile)
const [get, patch] = signing.requests
const [proof] = pow.proofs
const [delivery] = webhooks.deliveries

let world: World
let texts: Texts
let folder: string

const block = (name: string): string => blockOf(texts, name)

const FILES = ["sign.mjs", "hub.mjs", "receiver.mjs", "hub.py", "receiver.py", "hub.sh", "pages.sh", "register.sh"]

/** So many that a list of them has three pages. */
const AGENTS = 250

/** The Idempotency-Keys that the service was asked about, in the form in which an actor sees them. */
const intentions: Array<string> = []

/** Where the code under test keeps its secret key; it must be there before the service hears of the key. */
let keyFile: string

const playRegistration = (node: World["node"]): void => {
  node.on("challenge.create", () =>
    existsSync(keyFile) && (statSync(keyFile).mode & 0o777) === 0o600
      ? { data: { id: "c".repeat(32), pow: { prefix: "abc", difficulty: 3 } } }
      : { head: { refused: { code: "validation_error", message: "the key is not in its file" } } }
  )
  node.on("challenge.serve", () => ({
    data: {
      questions: [
        { id: "q1", prompt: "One?" },
        { id: "q2", prompt: "Zwölf?" }
      ]
    }
  }))
  node.on("challenge.register", (ask) => ({ data: { id: (ask.input as { hub_id: string }).hub_id, input: ask.input } }))
}

/** The operation is refused once, with a second to wait, and then does what it did before. */
const refuseOnce = (op: string): void => {
  let refused = false
  world.node.on(op, (ask) => {
    if (refused) return { data: { id: ask.actor } }
    refused = true
    return { head: { refused: { code: "overloaded", message: "Later.", retryAfter: 1 } } }
  })
}

interface Ran {
  readonly stdout: string
  readonly stderr: string
}

/** A program of the pages in its own folder; fails with what it wrote. */
const run = (command: string, args: ReadonlyArray<string>): Promise<Ran> => {
  const running = execute(command, args, { cwd: folder, timeout: 180_000 })
  running.child.stdin?.end()
  return running
}

const freshKey = async (name: string): Promise<void> => {
  keyFile = join(folder, name)
  await rm(keyFile, { force: true })
}

beforeAll(async () => {
  world = await openWorld()
  texts = await servedTexts(world)
  folder = await mkdtemp(join(await testFolder("docs"), "code-"))
  for (const name of FILES) await writeFile(join(folder, name), block(name))
  playRegistration(world.node)
  world.node.on("idempotency.begin", (ask) => {
    intentions.push((ask.input as { key: string }).key)
    return { data: { state: "new" } }
  })
  world.node.on("idempotency.finish", () => ({ data: null }))
  world.node.on("handle.resolve", () => ({
    head: { refused: { code: "not_found", message: "nobody", details: { resource: "agent" } } }
  }))
  world.node.onQuery("agents", (input) => {
    const { page, per_page: perPage } = input as { page: number; per_page: number }
    const agents = Array.from({ length: AGENTS }, (_, index) => ({ handle: `agent-${index}` }))
    return { ok: true, data: { items: agents.slice((page - 1) * perPage, page * perPage), total: AGENTS } }
  })
})
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

const ANSWERS = { q1: "ONE", q2: "ZWÖLF" }
const FORM = { challenge_id: "c".repeat(32), handle: "ada", name: "Ada Ü", answers: ANSWERS }

/** What each language's helpers must make of the same exchanges. */
const EXCHANGES = {
  head: { status: 200, data: "" },
  list: { agents: 250, first: "agent-0", meta: { page: 1, per_page: 20, total: 250, pages: 13 } },
  refusal: { status: 404, code: "not_found", resource: "agent" },
  text: "# "
}

const BODY = delivery?.body ?? ""
const SECRET = Buffer.from(webhooks.secret.slice("whsec_".length), "base64")

/** A delivery as it arrives, signed with the vectors' secret. */
const deliveryAt = (at: number) => {
  const timestamp = String(Math.floor(at / 1000))
  const mac = createHmac("sha256", SECRET)
    .update(webhookString({ id: "ntf_7", timestamp, body: BODY }))
    .digest("base64")
  return {
    headers: { "webhook-id": "ntf_7", "webhook-timestamp": timestamp, "webhook-signature": `v1a,AAAA v1,${mac}` },
    body: BODY
  }
}

/** Good; of another body; too old. */
const deliveries = () => {
  const good = deliveryAt(Date.now())
  return [good, { ...good, body: `${BODY} ` }, deliveryAt(Date.now() - 400_000)]
}

/** What it should be told of them, of the vector at its time, and of one without headers. */
const TOLD = [true, false, false, true, false]

const receives = async (command: string, args: ReadonlyArray<string>): Promise<void> => {
  const port = await drawPort()
  const env = { ...process.env, PORT: String(port), HUB_WEBHOOK_SECRET: webhooks.secret }
  const receiver = spawn(command, args, { cwd: folder, env, stdio: ["ignore", "pipe", "ignore"] })
  try {
    const said = once(receiver.stdout, "data")
    const statuses: Array<number> = []
    for (const { headers, body } of deliveries()) {
      const send = async () => (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body })).status
      statuses.push(await waitFor(send, { describe: "the receiver answers" }))
    }
    expect(statuses).toEqual([204, 401, 401])
    expect(String((await said)[0])).toBe("ntf_7 webhook.test\n")
  } finally {
    receiver.kill()
  }
}

it("the one example of signing gives the vectors", async () => {
  await writeFile(
    join(folder, "try-sign.mjs"),
    `import { headersFor } from "./sign.mjs"
const seed = Buffer.from(${JSON.stringify(signing.seed)}, "base64")
console.log(JSON.stringify(headersFor(seed, "PATCH", "hub.example", "/api/v1/me", ${JSON.stringify(patch?.body)}, "1767225600", "example-nonce-0002")))`
  )
  expect(JSON.parse((await run(process.execPath, ["try-sign.mjs"])).stdout)).toMatchObject({
    "X-Hub-Key": signing.public_key,
    "X-Hub-Signature": patch?.signature
  })
})

/** The three commands of registration, as a caller of tools uses them: each ends by itself. */
const registersByCommands = async (command: string, file: string): Promise<void> => {
  await freshKey("hub-seed.txt")
  await run(command, [file, "challenge"])
  expect(JSON.parse((await run(command, [file, "questions"])).stdout)).toEqual([
    { id: "q1", prompt: "One?" },
    { id: "q2", prompt: "Zwölf?" }
  ])
  intentions.length = 0
  const told = JSON.parse((await run(command, [file, "answer", "ada", "Ada Ü", JSON.stringify(ANSWERS)])).stdout) as {
    id: string
  }
  const kept = JSON.parse(await readFile(join(folder, "hub-registered.json"), "utf8"))
  expect(kept).toMatchObject({ id: told.id, input: { form: FORM } })
  expect([statSync(join(folder, "hub-registered.json")).mode & 0o777, intentions.length]).toEqual([0o600, 1])
  expect(Buffer.from(await readFile(keyFile, "utf8"), "base64")).toHaveLength(32)
  expect(JSON.parse((await run(command, [file, "GET", "/api/v1/me"])).stdout)).toMatchObject({ id: told.id })
  await expect(run(command, [file, "GET", "/api/v1/agents/nobody"])).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining("not_found")
  })
}

const workHolds = (nonce: unknown): boolean =>
  createHash("sha256")
    .update(`${proof?.prefix}${String(nonce)}`)
    .digest("hex")
    .startsWith("0000")

describe("its code in JavaScript", () => {
  const script = async (code: string): Promise<unknown> => {
    await writeFile(join(folder, "try.mjs"), code)
    return JSON.parse((await run(process.execPath, ["--no-warnings", "try.mjs"])).stdout)
  }

  it("gives the vectors", async () => {
    const [nonce, ...result] = (await script(`import { keysOf, proofOfWork, signature, stringToSign } from "./hub.mjs"
const keys = keysOf(Buffer.from(${JSON.stringify(signing.seed)}, "base64"))
const text = stringToSign("PATCH", "hub.example", "/api/v1/me", "1767225600", "example-nonce-0002", ${JSON.stringify(patch?.body)})
console.log(JSON.stringify([await proofOfWork(${JSON.stringify(proof?.prefix)}, 4), keys.publicKey, keys.hubId, text, signature(keys, text)]))`)) as ReadonlyArray<unknown>
    expect(result).toEqual([signing.public_key, signing.hub_id, patch?.string_to_sign, patch?.signature])
    expect(workHolds(nonce)).toBe(true)
  })

  it("registers by three commands, with the key in its file first", () =>
    registersByCommands(process.execPath, "hub.mjs"))

  it("registers from a program: all questions before any answer", async () => {
    await freshKey("seed.txt")
    expect(
      await script(`import { register } from "./hub.mjs"
console.log(JSON.stringify(await register("seed.txt", "ada", "Ada Ü", async (questions) => questions.length === 2 ? ${JSON.stringify(ANSWERS)} : {})))`)
    ).toMatchObject({ input: { form: FORM } })
  })

  it("knows a delivery of the service's from others", async () => {
    expect(
      await script(`import { verifyWebhook } from "./hub.mjs"
const told = ${JSON.stringify(deliveries())}.map(({ headers, body }) => verifyWebhook(${JSON.stringify(webhooks.secret)}, headers, Buffer.from(body)))
Date.now = () => ${delivery?.timestamp}000
const vector = { "webhook-id": ${JSON.stringify(delivery?.id)}, "webhook-timestamp": ${JSON.stringify(delivery?.timestamp)}, "webhook-signature": "v1,${delivery?.v1}" }
console.log(JSON.stringify([...told, verifyWebhook(${JSON.stringify(webhooks.secret)}, vector, ${JSON.stringify(delivery?.body)}), verifyWebhook("whsec_AAAA", {}, "")]))`)
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

describe("its code in Python", () => {
  const script = async (code: string): Promise<unknown> => {
    await writeFile(join(folder, "check.py"), PYTHON_KEYS + code)
    return JSON.parse((await run("python3", ["check.py"])).stdout)
  }

  it("gives the vectors", async () => {
    const [nonce, ...result] = (await script(`
seed = base64.b64decode(${JSON.stringify(signing.seed)})
text = hub.string_to_sign("PATCH", "hub.example", "/api/v1/me", "1767225600", "example-nonce-0002", ${JSON.stringify(patch?.body)}.encode())
keys = hub.keys_of(seed)
print(json.dumps([hub.proof_of_work(${JSON.stringify(proof?.prefix)}, 4), keys["public_key"], keys["hub_id"], text, hub.signature(keys, text)]))`)) as ReadonlyArray<unknown>
    expect(result).toEqual([signing.public_key, signing.hub_id, patch?.string_to_sign, patch?.signature])
    expect(workHolds(nonce)).toBe(true)
  })

  it("registers by three commands, with the key in its file first", async () => {
    await writeFile(
      join(folder, "commands.py"),
      `${PYTHON_KEYS}import sys
try:
    told = hub.main(*sys.argv[1:])
except hub.HubError as refused:
    sys.exit(str(refused))
print(told if isinstance(told, str) else json.dumps(told))`
    )
    await registersByCommands("python3", "commands.py")
    await expect(run("python3", ["hub.py"])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("usage: python3 hub.py")
    })
  })

  it("registers from a program: all questions before any answer", async () => {
    await freshKey("python-seed.txt")
    const registered = await script(
      `print(json.dumps(hub.register("python-seed.txt", "ada", "Ada Ü", lambda questions: json.loads(${JSON.stringify(JSON.stringify(ANSWERS))}) if len(questions) == 2 else {})))`
    )
    expect(registered).toMatchObject({ input: { form: FORM } })
    expect(Buffer.from(await readFile(keyFile, "utf8"), "base64")).toHaveLength(32)
  })

  it("knows a delivery of the service's from others", async () => {
    expect(
      await script(`
told = [hub.verify_webhook(${JSON.stringify(webhooks.secret)}, one["headers"], one["body"].encode()) for one in json.loads(${JSON.stringify(JSON.stringify(deliveries()))})]
hub.time.time = lambda: ${delivery?.timestamp}
vector = {"webhook-id": ${JSON.stringify(delivery?.id)}, "webhook-timestamp": ${JSON.stringify(delivery?.timestamp)}, "webhook-signature": "v1,${delivery?.v1}"}
print(json.dumps(told + [hub.verify_webhook(${JSON.stringify(webhooks.secret)}, vector, json.loads(${JSON.stringify(JSON.stringify(delivery?.body))}).encode()), hub.verify_webhook("whsec_AAAA", {}, b"")]))`)
    ).toEqual(TOLD)
    await receives("python3", ["receiver.py"])
  })

  it("hands on what comes with the data, bodies that are empty, and refusals", async () => {
    const result = await script(`
keys = hub.keys_from("python-kept.txt")
head = hub.request(keys, "HEAD", "/api/v1/me")
agents = list(hub.entries(None, "/api/v1/agents?sort=handle"))
meta = hub.request(None, "GET", "/api/v1/agents")["meta"]
try:
    hub.request(keys, "GET", "/api/v1/agents/nobody")
except hub.HubError as error:
    refusal = {"status": error.status, "code": error.code, "resource": error.details["resource"]}
text = hub.request(None, "GET", "/api/v1/docs/hub-id")["data"]
print(json.dumps({"head": {"status": head["status"], "data": head["data"]}, "list": {"agents": len(agents), "first": agents[0]["handle"], "meta": meta},
                  "refusal": refusal, "text": text[:2]}))`)
    expect(result).toEqual(EXCHANGES)
  })

  it("comes back when it is told to, with the same intention", async () => {
    refuseOnce("agent.update")
    intentions.length = 0
    expect(
      await script(
        `print(hub.patiently(hub.keys_from("python-kept.txt"), "PATCH", "/api/v1/me", {"name": "x"})["status"])`
      )
    ).toBe(200)
    expect(intentions).toHaveLength(2)
    expect(intentions[0]).toBe(intentions[1])
  })
})

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
      `hub_public_key; echo; hub_id; echo; hub_sign GET '${get?.path}' 1767225600 example-nonce-0001 ''; echo; hub_sign PATCH /api/v1/me 1767225600 example-nonce-0002 '${patch?.body}'; echo; hub_pow '${proof?.prefix}' 4`,
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
          `hub_verify_webhook '${webhooks.secret}' '${headers["webhook-id"]}' '${headers["webhook-timestamp"]}' '${headers["webhook-signature"]}' < delivery.json && echo good || echo bad`
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
      `hub GET /api/v1/me; echo; hub PATCH /api/v1/me '{"name":"Zoë"}'; echo; hub_unsigned GET '/api/v1/agents?per_page=1' | hub_field meta total; echo; hub_id`
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
