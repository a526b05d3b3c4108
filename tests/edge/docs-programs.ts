/** The programs of the documentation's pages in a folder, and what they must do in whatever language. */
import { execFile, spawn } from "node:child_process"
import { createHash, createHmac } from "node:crypto"
import { once } from "node:events"
import { existsSync, statSync } from "node:fs"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect } from "vitest"
import { webhookString } from "../../schemas/signing/webhook.ts"
import { drawPort } from "../../ops/launcher/ports.ts"
import { testFolder, waitFor } from "../harness/index.ts"
import signing from "../vectors/request-signing.json" with { type: "json" }
import pow from "../vectors/proof-of-work.json" with { type: "json" }
import webhooks from "../vectors/webhook-signing.json" with { type: "json" }
import { openWorld, type World } from "./edge.ts"
import { blockOf, servedTexts, type Texts } from "./served-docs.ts"

const execute = promisify(execFile)
export const [get, patch] = signing.requests
export const [proof] = pow.proofs
export const [delivery] = webhooks.deliveries
export let world: World
export let texts: Texts
export let folder: string
export const block = (name: string): string => blockOf(texts, name)
const FILES = ["sign.mjs", "hub.mjs", "receiver.mjs", "hub.py", "receiver.py", "hub.sh", "pages.sh", "register.sh"]

/** So many that a list of them has three pages. */
export const AGENTS = 250

/** The Idempotency-Keys that the service was asked about, in the form in which an actor sees them. */
export const intentions: Array<string> = []

/** Where the code under test keeps its secret key; it must be there before the service hears of the key. */
export let keyFile: string

const POW_MS = 900_000
const powExpiry = (): string => new Date(Date.now() + POW_MS).toISOString()

export const playRegistration = (node: World["node"]): void => {
  node.on("challenge.create", () =>
    existsSync(keyFile) && (statSync(keyFile).mode & 0o777) === 0o600
      ? { data: { id: "c".repeat(32), pow: { prefix: "abc", difficulty: 3 }, pow_expires_at: powExpiry() } }
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
export const refuseOnce = (op: string): void => {
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
export const run = (command: string, args: ReadonlyArray<string>): Promise<Ran> => {
  const running = execute(command, args, { cwd: folder, timeout: 180_000 })
  running.child.stdin?.end()
  return running
}

export const freshKey = async (name: string): Promise<void> => {
  keyFile = join(folder, name)
  await rm(keyFile, { force: true })
}

export const openPages = async () => {
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
}

export const ANSWERS = { q1: "ONE", q2: "ZWÖLF" }
export const FORM = { challenge_id: "c".repeat(32), handle: "ada", name: "Ada Ü", answers: ANSWERS }

/** What each language's helpers must make of the same exchanges. */
export const EXCHANGES = {
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
export const deliveries = () => {
  const good = deliveryAt(Date.now())
  return [good, { ...good, body: `${BODY} ` }, deliveryAt(Date.now() - 400_000)]
}

/** What it should be told of them, of the vector at its time, and of one without headers. */
export const TOLD = [true, false, false, true, false]

export const receives = async (command: string, args: ReadonlyArray<string>): Promise<void> => {
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

/** The three commands of registration, as a caller of tools uses them: each ends by itself. */
export const registersByCommands = async (command: string, file: string): Promise<void> => {
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

export const workHolds = (nonce: unknown): boolean =>
  createHash("sha256")
    .update(`${proof?.prefix}${String(nonce)}`)
    .digest("hex")
    .startsWith("0000")
