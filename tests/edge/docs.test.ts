import { execFile } from "node:child_process"
import { mkdtemp, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ERROR_STATUS } from "../../schemas/errors.ts"
import { ENDPOINTS } from "../../edge/http/endpoints.ts"
import { testFolder } from "../harness/index.ts"
import signing from "../vectors/request-signing.json" with { type: "json" }
import pow from "../vectors/proof-of-work.json" with { type: "json" }
import { openWorld, type World } from "./edge.ts"

const run = promisify(execFile)
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

beforeAll(async () => {
  world = await openWorld()
  const answer = await world.edge.call("/api/v1/docs")
  expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8")
  reference = answer.text
  folder = await mkdtemp(join(await testFolder("docs"), "code-"))
  for (const name of ["hub.ts", "register.ts", "hub.py", "hub.sh"]) await writeFile(join(folder, name), block(name))
  world.node.on("challenge.create", () => ({ data: { id: "c".repeat(32), pow: { prefix: "abc", difficulty: 3 } } }))
  world.node.on("challenge.serve", () => ({ data: { questions: [{ id: "q1", prompt: "One?" }, { id: "q2", prompt: "Two?" }] } }))
  world.node.on("challenge.register", (ask) => ({ data: { input: ask.input } }))
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

describe("its code in TypeScript", () => {
  it("gives the vectors", async () => {
    await writeFile(
      join(folder, "check.ts"),
      `import { keysOf, proofOfWork, signature, stringToSign } from "./hub.ts"
const keys = keysOf(Buffer.from(${JSON.stringify(signing.seed)}, "base64"))
const text = stringToSign("PATCH", "hub.example", "/api/v1/me", "1767225600", "example-nonce-0002", ${JSON.stringify(patch?.body)})
console.log(JSON.stringify([keys.publicKey, keys.hubId, text, signature(keys, text), proofOfWork(${JSON.stringify(proof?.prefix)}, 4)]))`
    )
    const { stdout } = await run(process.execPath, ["--no-warnings", join(folder, "check.ts")])
    expect(JSON.parse(stdout)).toEqual([signing.public_key, signing.hub_id, patch?.string_to_sign, patch?.signature, proof?.nonce])
  })

  it("registers, as it stands", async () => {
    await writeFile(
      join(folder, "try.ts"),
      `import { register } from "./register.ts"
console.log(JSON.stringify(await register("ada", "Ada", async (prompt) => prompt.toUpperCase())))`
    )
    const { stdout } = await run(process.execPath, ["--no-warnings", join(folder, "try.ts")])
    const { agent, seed } = JSON.parse(stdout) as { agent: { input: unknown }; seed: string }
    expect(agent.input).toMatchObject({ form: { handle: "ada", name: "Ada", answers: { q1: "ONE?", q2: "TWO?" } } })
    expect(Buffer.from(seed, "base64")).toHaveLength(32)
  })
})

describe("its code in Python", () => {
  it("gives the vectors, as far as the machine has the package", async () => {
    await writeFile(
      join(folder, "check.py"),
      `import base64, json, hub
seed = base64.b64decode(${JSON.stringify(signing.seed)})
raw = base64.b64decode(${JSON.stringify(signing.public_key)})
text = hub.string_to_sign("PATCH", "hub.example", "/api/v1/me", "1767225600", "example-nonce-0002", ${JSON.stringify(patch?.body)}.encode())
try:
    keys = hub.keys_of(seed)
    signed = [keys["public_key"], hub.signature(keys, text)]
except ImportError:
    signed = None
print(json.dumps([hub.hub_id(raw), text, hub.proof_of_work(${JSON.stringify(proof?.prefix)}, 4), signed]))`
    )
    const { stdout } = await run("python3", ["check.py"], { cwd: folder })
    const [hubId, text, nonce, signed] = JSON.parse(stdout) as [string, string, string, [string, string] | null]
    expect([hubId, text, nonce]).toEqual([signing.hub_id, patch?.string_to_sign, proof?.nonce])
    if (signed !== null) expect(signed).toEqual([signing.public_key, patch?.signature])
  })
})

const shell = async (commands: string, env: Readonly<Record<string, string>> = {}): Promise<string> => {
  const { stdout } = await run("sh", ["-c", `. ./hub.sh\n${commands}`], { cwd: folder, env: { ...process.env, ...env } })
  return stdout
}

describe("its code in shell", () => {
  beforeAll(async () => {
    const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), Buffer.from(signing.seed, "base64")])
    const pem = `-----BEGIN PRIVATE KEY-----\n${der.toString("base64")}\n-----END PRIVATE KEY-----\n`
    await writeFile(join(folder, "hub-key.pem"), pem)
    expect((await readFile(join(folder, "hub.sh"), "utf8")).length).toBeGreaterThan(500)
  })

  it("gives the vectors", async () => {
    const out = await shell(
      `hub_public_key; echo; hub_id; echo; hub_sign GET '${get?.path}' 1767225600 example-nonce-0001 ''; echo; hub_sign PATCH /api/v1/me 1767225600 example-nonce-0002 '${patch?.body}'; echo; hub_pow abc 2`,
      { HUB_HOST: "hub.example" }
    )
    expect(out.trim().split("\n").slice(0, 4)).toEqual([signing.public_key, signing.hub_id, get?.signature, patch?.signature])
    expect(out.trim().split("\n")[4]).toMatch(/^\d+$/)
  })

  it("reads and writes, as it stands", async () => {
    const out = await shell(`hub GET /api/v1/me; echo; hub PATCH /api/v1/me '{"name":"Zoë"}'`)
    const [me, patched] = out.trim().split("\n").map((line) => JSON.parse(line) as { data: Record<string, unknown> })
    expect(me?.data["id"]).toBe(signing.hub_id)
    expect(patched?.data).toEqual({ id: signing.hub_id, name: "Zoë" })
  })
})
