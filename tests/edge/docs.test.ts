import { execFile } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ERROR_STATUS } from "../../schemas/errors.ts"
import { ENDPOINTS } from "../../edge/http/endpoints.ts"
import { testFolder } from "../harness/index.ts"
import signing from "../vectors/request-signing.json" with { type: "json" }
import pow from "../vectors/proof-of-work.json" with { type: "json" }
import { openWorld, type World } from "./edge.ts"

const execute = promisify(execFile)
const [get, patch] = signing.requests
const [proof] = pow.proofs

let world: World
let reference: string
let folder: string

/** A code block by the name behind its language. */
const block = (name: string): string => {
  const found = new RegExp(`^\`\`\`\\w+ ${name.replace(".", "\\.")}\\n([\\s\\S]*?)^\`\`\``, "m").exec(reference)?.[1]
  if (found === undefined) throw new Error(`the reference has no block named ${name}`)
  return found
}

/** So many that a list of them has three pages. */
const AGENTS = 250

/** The Idempotency-Keys that the service was asked about, in the form in which an actor sees them. */
const intentions: Array<string> = []

/** Where the code under test keeps its secret key; it must be there before the service hears of the key. */
let keyFile: string

const playRegistration = (node: World["node"]): void => {
  node.on("challenge.create", () => (existsSync(keyFile) && (statSync(keyFile).mode & 0o777) === 0o600
    ? { data: { id: "c".repeat(32), pow: { prefix: "abc", difficulty: 3 } } }
    : { head: { refused: { code: "validation_error", message: "the key is not in its file" } } }))
  node.on("challenge.serve", () => ({ data: { questions: [{ id: "q1", prompt: "One?" }, { id: "q2", prompt: "Zwölf?" }] } }))
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

/** A program of the reference in its own folder; fails with what it wrote. */
const run = (command: string, args: ReadonlyArray<string>, input = ""): Promise<Ran> => {
  const running = execute(command, args, { cwd: folder, timeout: 180_000 })
  running.child.stdin?.end(input)
  return running
}

const freshKey = async (name: string): Promise<void> => {
  keyFile = join(folder, name)
  await rm(keyFile, { force: true })
}

beforeAll(async () => {
  world = await openWorld()
  const answer = await world.edge.call("/api/v1/docs")
  expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8")
  reference = answer.text
  folder = await mkdtemp(join(await testFolder("docs"), "code-"))
  for (const name of ["hub.ts", "register.ts", "hub.py", "hub.sh", "pages.sh", "register.sh"]) await writeFile(join(folder, name), block(name))
  playRegistration(world.node)
  world.node.on("idempotency.begin", (ask) => {
    intentions.push((ask.input as { key: string }).key)
    return { data: { state: "new" } }
  })
  world.node.on("idempotency.finish", () => ({ data: null }))
  world.node.on("handle.resolve", () => ({ head: { refused: { code: "not_found", message: "nobody", details: { resource: "agent" } } } }))
  world.node.onQuery("agents", (input) => {
    const { page, per_page: perPage } = input as { page: number; per_page: number }
    const agents = Array.from({ length: AGENTS }, (_, index) => ({ handle: `agent-${index}` }))
    return { ok: true, data: { items: agents.slice((page - 1) * perPage, page * perPage), total: AGENTS } }
  })
})
afterAll(() => world.stop())

describe("the reference", () => {
  it("is filled in from the running configuration", () => {
    expect(reference).not.toContain("{{")
    expect(reference).toContain(world.edge.url)
    expect(reference).toContain(`\`${world.edge.host}\``)
  })

  it("tells every error code and its status", () => {
    const rows = reference.split("\n").filter((line) => line.startsWith("| `"))
    for (const [code, status] of Object.entries(ERROR_STATUS)) {
      const row = rows.find((line) => line.split("|")[1]?.includes(`\`${code}\``))
      expect(row, code).toBeDefined()
      expect(row?.split("|")[2], code).toContain(String(status))
    }
  })

  it("tells every endpoint, and none that is not there", () => {
    const section = reference.slice(reference.indexOf("## Endpoints"), reference.indexOf("## Retrying safely"))
    const told = [...section.matchAll(/^\| (GET|POST|PUT|PATCH|DELETE) \| ([^|]+) \| (\w+) \|/gm)].flatMap(([, method, paths, auth]) =>
      (paths ?? "").split(",").map((path) => `${method} ${path.trim().replaceAll("`", "")} ${auth}`)
    )
    const real = ENDPOINTS.map(({ method, path, auth }) => `${method} ${path.replace("/api/v1", "").replace(/:(\w+)/g, "{$1}") || "/"} ${auth}`)
    expect(told.toSorted()).toEqual(real.toSorted())
  })

  it("shows the vectors that the service itself is tested with", () => {
    expect(block("vector-get").trimEnd()).toBe(get?.string_to_sign)
    expect(block("vector-patch").trimEnd()).toBe(patch?.string_to_sign)
    for (const text of [get?.signature, patch?.signature, patch?.body, signing.public_key, signing.hub_id, proof?.nonce, proof?.hash]) expect(reference).toContain(`\`${text}\``)
  })

  it("tells what a bad signature is answered with", async () => {
    const answer = await world.edge.call("/api/v1/me", { signed: world.agent, signing: { host: "elsewhere.example" } })
    for (const name of Object.keys(answer.json.error.details)) expect(reference, name).toContain(`\`${name}\``)
  })

  it("is a page too, without scripts and with its own policy", async () => {
    const page = await world.edge.call("/docs")
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
    expect(page.text).toMatch(/<html lang="en">[\s\S]*<h1>/)
    expect(page.text).not.toMatch(/<script|javascript:/i)
  })

  it.each(["/api/v1/docs/hub-id", "/api/v1/docs/runtime-terms"])("has siblings: %s", async (path) => {
    const answer = await world.edge.call(path)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"])
    expect(answer.text).not.toContain("{{")
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

describe("its code in TypeScript", () => {
  const script = async (code: string, input = ""): Promise<unknown> => {
    await writeFile(join(folder, "try.ts"), code)
    return JSON.parse((await run(process.execPath, ["--no-warnings", "try.ts"], input)).stdout)
  }

  it("gives the vectors", async () => {
    const result = await script(`import { keysOf, proofOfWork, signature, stringToSign } from "./hub.ts"
const keys = keysOf(Buffer.from(${JSON.stringify(signing.seed)}, "base64"))
const text = stringToSign("PATCH", "hub.example", "/api/v1/me", "1767225600", "example-nonce-0002", ${JSON.stringify(patch?.body)})
console.log(JSON.stringify([keys.publicKey, keys.hubId, text, signature(keys, text), proofOfWork(${JSON.stringify(proof?.prefix)}, 4)]))`)
    expect(result).toEqual([signing.public_key, signing.hub_id, patch?.string_to_sign, patch?.signature, proof?.nonce])
  })

  it("registers, as it stands: the key in its file first, all questions before any answer", async () => {
    await freshKey("seed.txt")
    const registered = await script(
      `import { register } from "./register.ts"
console.log(JSON.stringify(await register("seed.txt", "ada", "Ada Ü")))`,
      `${JSON.stringify(ANSWERS)}\n`
    )
    expect(registered).toMatchObject({ input: { form: FORM } })
    expect(Buffer.from(await readFile(keyFile, "utf8"), "base64")).toHaveLength(32)
  })

  it("keeps the key that is there", async () => {
    const result = await script(`import { keysFrom } from "./hub.ts"
console.log(JSON.stringify([keysFrom("kept.txt").hubId, keysFrom("kept.txt").hubId]))`) as ReadonlyArray<string>
    expect(result[0]).toBe(result[1])
  })

  it("hands on what comes with the data, bodies that are empty, and refusals", async () => {
    const result = await script(`import { entries, HubError, keysFrom, request } from "./hub.ts"
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
    const result = await script(`import { keysFrom, patiently, request } from "./hub.ts"
const keys = keysFrom("kept.txt")
const first = await request(keys, "PATCH", "/api/v1/me", { name: "x" }).catch((error) => [error.code, error.retryAfter])
console.log(JSON.stringify([first, (await patiently(keys, "PATCH", "/api/v1/me", { name: "x" })).status]))`)
    expect(result).toEqual([["overloaded", 1], 200])
    refuseOnce("agent.update")
    await script(`import { keysFrom, patiently } from "./hub.ts"
console.log((await patiently(keysFrom("kept.txt"), "PATCH", "/api/v1/me", { name: "x" })).status)`)
    const [, first, again] = intentions
    expect([intentions.length, first]).toEqual([3, again])
  })
})

/** Stands in for the package where the machine does not have it: the rest of the code is tested all the same. */
const PYTHON_KEYS = `import base64, json, os, subprocess, hub
try:
    import cryptography
except ImportError:
    class Key:
        def __init__(self, seed):
            self.pem = "-----BEGIN " + "PRIVATE KEY-----\\n" + base64.b64encode(bytes.fromhex("302e020100300506032b657004220420") + seed).decode() + "\\n-----END " + "PRIVATE KEY-----\\n"
            with open("stand-in.pem", "w") as file:
                file.write(self.pem)
        def sign(self, text):
            with open("stand-in.txt", "wb") as file:
                file.write(text)
            return subprocess.run(["openssl", "pkeyutl", "-sign", "-inkey", "stand-in.pem", "-rawin", "-in", "stand-in.txt"], capture_output=True, check=True).stdout
    def keys_of(seed):
        key = Key(seed)
        raw = subprocess.run(["openssl", "pkey", "-in", "stand-in.pem", "-pubout", "-outform", "DER"], capture_output=True, check=True).stdout[-32:]
        return {"private_key": key, "public_key": base64.b64encode(raw).decode(), "hub_id": hub.hub_id(raw)}
    hub.keys_of = keys_of
`

describe("its code in Python", () => {
  const script = async (code: string, input = ""): Promise<unknown> => {
    await writeFile(join(folder, "check.py"), PYTHON_KEYS + code)
    return JSON.parse((await run("python3", ["check.py"], input)).stdout)
  }

  it("gives the vectors", async () => {
    const result = await script(`
seed = base64.b64decode(${JSON.stringify(signing.seed)})
text = hub.string_to_sign("PATCH", "hub.example", "/api/v1/me", "1767225600", "example-nonce-0002", ${JSON.stringify(patch?.body)}.encode())
keys = hub.keys_of(seed)
print(json.dumps([keys["public_key"], keys["hub_id"], text, hub.signature(keys, text), hub.proof_of_work(${JSON.stringify(proof?.prefix)}, 4)]))`)
    expect(result).toEqual([signing.public_key, signing.hub_id, patch?.string_to_sign, patch?.signature, proof?.nonce])
  })

  it("registers, as it stands: the key in its file first, all questions before any answer", async () => {
    await freshKey("python-seed.txt")
    const registered = await script(`print(json.dumps(hub.register("python-seed.txt", "ada", "Ada Ü")))`, `${JSON.stringify(ANSWERS)}\n`)
    expect(registered).toMatchObject({ input: { form: FORM } })
    expect(Buffer.from(await readFile(keyFile, "utf8"), "base64")).toHaveLength(32)
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
    expect(await script(`print(hub.patiently(hub.keys_from("python-kept.txt"), "PATCH", "/api/v1/me", {"name": "x"})["status"])`)).toBe(200)
    expect(intentions).toHaveLength(2)
    expect(intentions[0]).toBe(intentions[1])
  })
})

const shell = async (commands: string, env = ""): Promise<string> => (await run("sh", ["-c", `${env}\n. ./hub.sh\n${commands}`])).stdout

describe("its code in shell", () => {
  beforeAll(async () => {
    const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.from(signing.seed, "base64")])
    const pem = `-----BEGIN PRIVATE KEY-----\n${der.toString("base64")}\n-----END PRIVATE KEY-----\n`
    await writeFile(join(folder, "vector-key.pem"), pem)
  })

  it("gives the vectors", async () => {
    const out = await shell(
      `hub_public_key; echo; hub_id; echo; hub_sign GET '${get?.path}' 1767225600 example-nonce-0001 ''; echo; hub_sign PATCH /api/v1/me 1767225600 example-nonce-0002 '${patch?.body}'; echo; hub_pow '${proof?.prefix}' 4`,
      "HUB_HOST=hub.example HUB_PEM=vector-key.pem"
    )
    expect(out.split("\n")).toEqual([signing.public_key, signing.hub_id, get?.signature, patch?.signature, proof?.nonce])
  })

  it("registers, as it stands", async () => {
    await freshKey("hub-key.pem")
    await run("sh", ["register.sh", "challenge"])
    const { stdout } = await run("sh", ["register.sh", "questions"])
    expect(JSON.parse(stdout)).toEqual([{ id: "q1", prompt: "One?" }, { id: "q2", prompt: "Zwölf?" }])
    await writeFile(join(folder, "answers.json"), JSON.stringify(ANSWERS))
    intentions.length = 0
    const registered = await run("sh", ["register.sh", "answer", "ada", "Ada Ü"])
    expect(registered.stdout).toBe(await shell("hub_id"))
    expect(JSON.parse(await readFile(join(folder, "registered.json"), "utf8"))).toMatchObject({ data: { input: { form: FORM } } })
    expect(statSync(join(folder, "registered.json")).mode & 0o777).toBe(0o600)
    expect(intentions).toHaveLength(1)
  })

  it("shows a refusal and stops", async () => {
    world.node.on("challenge.serve", () => ({ head: { refused: { code: "pow_invalid", message: "no" } } }))
    await expect(run("sh", ["register.sh", "questions"])).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("pow_invalid") })
    playRegistration(world.node)
  })

  it("reads and writes, signed and unsigned, as it stands", async () => {
    const out = await shell(`hub GET /api/v1/me; echo; hub PATCH /api/v1/me '{"name":"Zoë"}'; echo; hub_unsigned GET '/api/v1/agents?per_page=1' | hub_field meta total; echo; hub_id`)
    const [me, patched, total, id] = out.split("\n")
    expect(JSON.parse(me ?? "")).toMatchObject({ ok: true, data: { id } })
    expect(JSON.parse(patched ?? "")).toMatchObject({ ok: true, data: { id } })
    expect(total).toBe(String(AGENTS))
  })

  it("does not wait for the body of a HEAD", async () => {
    expect(await shell("hub HEAD /api/v1/me")).toMatch(/^HTTP\/1\.1 200/)
  })

  it("fails where the service refuses, with the envelope and its headers", async () => {
    const out = await shell("hub GET /api/v1/agents/nobody || echo \"|$?|$(hub_header content-type)\"")
    const [envelope, status, type] = out.trim().split("|")
    expect([JSON.parse(envelope ?? "").error.code, status, type]).toEqual(["not_found", "22", "application/json; charset=utf-8"])
  })

  it("goes through a list page after page", async () => {
    const out = await shell("(. ./pages.sh)")
    expect(out.match(/"agent-\d+"/g)).toHaveLength(AGENTS)
  })

  it("comes back when it is told to, with the same intention, and gives up on what no wait can mend", async () => {
    refuseOnce("agent.update")
    intentions.length = 0
    const out = await shell(`hub_patiently PATCH /api/v1/me '{"name":"x"}'; hub_patiently GET /api/v1/agents/nobody || echo refused`)
    const [patched, nobody, refused] = out.trim().split("\n")
    expect([JSON.parse(patched ?? "").ok, JSON.parse(nobody ?? "").error.code, refused]).toEqual([true, "not_found", "refused"])
    expect(intentions).toHaveLength(2)
    expect(intentions[0]).toBe(intentions[1])
  })

  it("tries a line that is broken again, and says so in the end", async () => {
    await expect(shell("sleep() { :; }\nhub_patiently GET /api/v1/me", "HUB_URL=http://127.0.0.1:1")).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/(curl: \(7\)[^]*){5}/) })
  })
})
