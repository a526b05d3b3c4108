/** The programs of `/docs/seal`, taken out of the page and run: what they seal the service's own client opens, and the reverse. */
import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import { mkdtemp, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import sodium from "libsodium-wrappers"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openEntry, sealEntry } from "../../edge/sdk/vault/seal.ts"
import { findLanguages } from "../../ops/launcher/languages.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { testFolder } from "../harness/index.ts"
import { send } from "../support/http.ts"
import { dataOf, outcome } from "../support/outcome.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { asHolder, issueToken, LIMITS_OF_CARD, oneTimeKey, VAULT, type WithVault, withVault } from "../support/vault.ts"
import { FILL, SHOP } from "../support/vault-owner.ts"
import { blockOf } from "./served-docs.ts"

const NAMES = ["seal.mjs", "seal.py", "seal.go"] as const
type Command = readonly [program: string, ...args: ReadonlyArray<string>]

const LOGIN = { username: "ada", password: 'correct "horse" 🐎 <ü>' }

interface Keys {
  readonly public_key: Uint8Array
  readonly private_key: Uint8Array
}

let service: TestService
let folder: string
let commands: Readonly<Record<(typeof NAMES)[number], Command>>
let of: WithVault
let keys: Keys
let holder: ReturnType<typeof asHolder>

beforeAll(async () => {
  service = await sharedService({ keeper: true })
  folder = await mkdtemp(join(await testFolder("seal"), "code-"))
  const { text } = await send({ edge: service.edges[0] ?? "", method: "GET", path: "/api/v1/docs/seal" })
  for (const name of NAMES) await writeFile(join(folder, name), blockOf(new Map([["seal", text]]), name))
  await symlink(join(projectRoot, "node_modules"), join(folder, "node_modules"))
  const { python, goEnv } = await findLanguages({ env: process.env, progress: (line) => console.error(line) })
  await ran(["go", "build", "-o", "seal", "seal.go"], "", { ...goEnv, GOCACHE: join(folder, "cache"), HOME: folder })
  commands = { "seal.mjs": [process.execPath, "seal.mjs"], "seal.py": [python, "seal.py"], "seal.go": ["./seal"] }

  of = await withVault(service)
  await writeFile(join(folder, "vault.json"), JSON.stringify(dataOf(await of.client.call("GET", VAULT))))
  holder = asHolder(service, await issueToken(service, of.agent.id))
  const { ephemeral_public_key, open } = await oneTimeKey()
  const loaded = dataOf<{ readonly sealed_key: string; readonly public_key: string }>(
    await holder("POST", `${VAULT}/service/key`, { ephemeral_public_key })
  )
  keys = { public_key: Buffer.from(loaded.public_key, "base64"), private_key: open(loaded.sealed_key) }
})
afterAll(() => service?.stop())

/** What it wrote to standard output. */
const ran = ([program, ...args]: Command, input: string, env: NodeJS.ProcessEnv = {}): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = { cwd: folder, timeout: 180_000, env: { ...process.env, ...env } }
    const child = execFile(program, args, options, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(`${error.message}${stderr}`))
    )
    child.stdin?.end(input)
  })

describe.each(NAMES)("%s", (name) => {
  const sealed = async (entry: object): Promise<Readonly<Record<string, unknown>>> =>
    JSON.parse(await ran([...commands[name], "vault.json"], JSON.stringify(entry)))

  test("seals a login that the service takes, and its own client opens", async () => {
    const body = await sealed({ kind: "login", origins: [SHOP], label: "Shop & Söhne", fields: LOGIN })
    expect(JSON.stringify(body)).not.toContain("horse")
    const written = await of.client.call("POST", `${VAULT}/entries`, { body })
    expect(outcome(written)).toBe("201")
    const { id, label } = dataOf<{ readonly id: number; readonly label: string }>(written)
    expect(label).toBe("Shop & Söhne")
    const { ciphertext, fill_id } = dataOf<{ readonly ciphertext: string; readonly fill_id: number }>(
      await holder("POST", FILL, { entry_id: id, action: "login", origin: SHOP })
    )
    expect(await openEntry(ciphertext, keys)).toEqual({
      ...LOGIN,
      v: 1,
      vault: of.vault.uid,
      uid: body["uid"],
      kind: "login",
      origins: [SHOP]
    })
    dataOf(await holder("POST", `${FILL}/${fill_id}/result`, { status: "done", filled: [] }))
  })

  test("seals cards with their limits, and profiles without origins", async () => {
    const card = { kind: "card", origins: [SHOP], limits: LIMITS_OF_CARD, fields: { number: "4111111111111111" } }
    for (const entry of [card, { kind: "profile", fields: { name: "Ada" } }]) {
      const body = await sealed(entry)
      expect(outcome(await of.client.call("POST", `${VAULT}/entries`, { body }))).toBe("201")
      expect(await openEntry(String(body["ciphertext"]), keys)).toEqual({
        origins: [],
        v: 1,
        vault: of.vault.uid,
        uid: body["uid"],
        ...entry.fields,
        ...entry,
        fields: undefined
      })
    }
  })

  test("opens what the service's own client has sealed, and nothing of another key", async () => {
    await sodium.ready
    const pair = sodium.crypto_box_keypair()
    const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64")
    const public_key = base64(pair.publicKey)
    await writeFile(join(folder, "keys.json"), JSON.stringify({ public_key, private_key: base64(pair.privateKey) }))
    const entry = { vault: of.vault.uid, uid: randomUUID(), kind: "login", origins: [SHOP], fields: LOGIN } as const
    const open = (ciphertext: string) => ran([...commands[name], "open", "keys.json"], ciphertext)
    const { fields, ...open_ } = entry
    expect(JSON.parse(await open(await sealEntry({ ...entry, public_key })))).toEqual({ v: 1, ...open_, ...fields })
    await expect(open(await sealEntry({ ...entry, public_key: of.vault.public_key }))).rejects.toThrow()
  })
})
