/** The kit as it is handed out: packed, installed into empty folders without a network, and used there. */
import { execFile } from "node:child_process"
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { buildKit } from "../../ops/kit/build.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { openEntry } from "../../edge/sdk/vault/seal.ts"
import { VERSION } from "../../schemas/version.ts"
import { testFolder } from "../harness/servers.ts"
import { runCli } from "./support/cli.ts"
import { startHost } from "./support/mcp.ts"
import { data, startPlayer } from "./support/player.ts"
import { vaultKeys } from "./support/vault-keys.ts"

const execute = promisify(execFile)
const STRICT = [
  "--strict",
  "--noEmit",
  "--exactOptionalPropertyTypes",
  "--noUncheckedIndexedAccess",
  "--module",
  "nodenext",
  "--target",
  "es2022"
]

let folder = ""
/** Who has the kit, and who has the command. */
let user = ""
let shell = ""

const installed = (...path: ReadonlyArray<string>): string => join(user, "node_modules", "hub-kit", ...path)
const command = (...path: ReadonlyArray<string>): string => join(shell, "node_modules", "hub-agent", ...path)

const npm = (args: ReadonlyArray<string>, cwd: string) =>
  execute("npm", [...args, "--offline", "--no-audit", "--no-fund", "--cache", join(folder, "cache")], { cwd })

const install = async (name: string): Promise<string> => {
  const into = join(folder, `with-${name}`)
  await mkdir(into)
  await writeFile(join(into, "package.json"), '{"name":"user","private":true,"type":"module"}\n')
  await npm(["pack", join(folder, "kit", name), "--pack-destination", folder], folder)
  await npm(["install", "--omit=dev", join(folder, `${name}-${VERSION}.tgz`)], into)
  expect((await readdir(join(into, "node_modules"))).filter((one) => !one.startsWith("."))).toEqual([name])
  return into
}

beforeAll(async () => {
  folder = await testFolder("kit")
  await buildKit(join(folder, "kit"))
  user = await install("hub-kit")
  shell = await install("hub-agent")
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const program = async (source: string): Promise<unknown> => {
  const file = join(user, "program.mjs")
  await writeFile(file, source)
  return JSON.parse((await execute(process.execPath, [file], { cwd: user })).stdout)
}

/** The compiler's complaints about a file of the user's. */
const complaints = async (source: string, more: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const file = join(user, "user.ts")
  await writeFile(file, source)
  const { stdout } = await execute(
    process.execPath,
    [join(projectRoot, "node_modules/typescript/bin/tsc"), ...STRICT, ...more, file],
    { cwd: user }
  ).catch((error: { readonly stdout: string }) => error)
  return stdout.split("\n").filter((line) => line.includes("error TS"))
}

describe("the kit", () => {
  test("brings nothing else along, and nothing of the service", async () => {
    const files = (await readdir(installed(), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
    expect(files.filter((name) => !/\.(js|d\.ts)$/.test(name)).toSorted()).toEqual([
      "LICENCES.txt",
      "README.md",
      "package.json"
    ])
    expect(await readFile(installed("LICENCES.txt"), "utf8")).toMatch(/^libsodium 0[\s\S]*\nlibsodium-wrappers 0/)
    const { dependencies, version } = JSON.parse(await readFile(installed("package.json"), "utf8")) as Record<
      string,
      unknown
    >
    expect([dependencies, version]).toEqual([undefined, VERSION])
    for (const one of await readdir(installed(), { recursive: true }))
      expect(one).not.toMatch(/^(actors|ops|tests|edge\/(auth|bus|http|routes|sdk\/(cli|mcp)(\/|$)))/)
  })

  test("is imported by plain node", async () => {
    expect(
      await program(`
      import { createClient, keyFromSeed } from "hub-kit/client"
      import * as verify from "hub-kit/verify"
      const key = await keyFromSeed("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
      const hub = createClient({
        hub: "https://hub.example", key, identity: { number: "HX-000001", idUrl: "https://hub.example/id/HX-000001" }
      })
      const proof = Object.keys(await hub.proof({ url: "https://shop.example" }))
      const operation = typeof hub.operations.publishPost
      console.log(JSON.stringify({ hubId: key.hubId, proof, verify: typeof verify.createVerifier, operation }))
    `)
    ).toEqual({
      hubId: "hx56475aa75463474c0285df5d",
      proof: ["Hub-Id", "Hub-Timestamp", "Hub-Nonce", "Hub-Signature", "User-Agent"],
      verify: "function",
      operation: "function"
    })
  })

  test("seals entries of a vault by a library that it brings, and that nothing else loads", async () => {
    const keys = await vaultKeys()
    const made = (await program(`
      import { createClient, sealEntry } from "hub-kit/client"
      createClient({ hub: "https://hub.example", sourceToken: "hxs_" + "0".repeat(24) + "A".repeat(43) })
      const vault = { uid: "v", public_key: ${JSON.stringify(keys.publicKey)} }
      const entry = { kind: "secret", origins: ["https://shop.example"], value: "open sesame" }
      console.log(JSON.stringify(await sealEntry(vault, entry)))
    `)) as { readonly ciphertext: string }
    expect(await openEntry(made.ciphertext, { public_key: keys.public, private_key: keys.private })).toMatchObject({
      value: "open sesame"
    })
    const importing = (await readdir(installed("edge"), { recursive: true })).filter((name) => name.endsWith(".js"))
    const texts = await Promise.all(importing.map((name) => readFile(installed("edge", name), "utf8")))
    expect(texts.filter((text) => text.includes('"./libsodium.js"'))).toHaveLength(1)
    expect(texts.join("")).not.toMatch(/from "[^"]*libsodium/)
  })

  test("has types that stand alone, for browsers and for Node", async () => {
    const source = `
      import { createClient, sealEntry, verifyWebhook, type Operations } from "hub-kit/client"
      import { createVerifier } from "hub-kit/verify"
      const hub = createClient({ hub: "https://hub.example" })
      const name: string = (await hub.get("/me")).data.name
      const sort: NonNullable<NonNullable<Operations["/agents"]["GET"]["query"]>["sort"]> = "newest"
      for await (const agent of hub.pages("/agents", { query: { sort } })) console.log(agent.handle, name, verifyWebhook, createVerifier)
      const { data: post } = await hub.operations.publishPost({ title: "a", body: name, kind: "note" })
      const source = createClient({ hub: "https://hub.example", sourceToken: name })
      const sealed = await sealEntry(await source.vault(), { kind: "secret", origins: [name], value: name })
      await hub.operations.writeVaultEntry(sealed)
      const id: number = (await hub.operations.reply({ id: post.id, body: "b" })).data.id
      console.log(id)
      export {}
    `
    const browser = ["--lib", "es2024,dom,dom.iterable,dom.asynciterable", "--types", ""]
    const node = [
      "--lib",
      "es2024",
      "--types",
      "node",
      "--typeRoots",
      join(projectRoot, "node_modules/@types"),
      "--skipLibCheck"
    ]
    expect(await complaints(source, browser)).toEqual([])
    expect(await complaints(source, node)).toEqual([])
    const wrong = source.replace('"/me"', '"/mee"').replace("agent.handle", "agent.nickname").replace("note", "poem")
    const lines = (await complaints(wrong, browser)).map((complaint) => /^user\.ts\((\d+),/.exec(complaint)?.[1])
    expect([...new Set(lines)]).toEqual(["5", "7", "8"])
  })

  test("has the interface's types as the contracts have them", async () => {
    const inRepo = join(projectRoot, "edge/sdk/client/api.ts")
    const source = `
      import type { Operations as Written } from "hub-kit/client"
      import type { Operations as Derived } from ${JSON.stringify(inRepo)}
      declare let written: Written
      declare let derived: Derived
      written = derived
      derived = written
      export {}
    `
    const options = [
      "--lib",
      "es2024,esnext.disposable",
      "--types",
      "node",
      "--typeRoots",
      join(projectRoot, "node_modules/@types"),
      "--skipLibCheck",
      "--allowImportingTsExtensions",
      "--resolveJsonModule"
    ]
    expect(await complaints(source, options)).toEqual([])
  })
})

describe("the command", () => {
  test("is one that npm installs, and makes its folder", async () => {
    const { stdout } = await execute("npx", ["--offline", "hub-agent", "--help"], { cwd: shell })
    expect(stdout).toMatch(/^usage:\n {2}hub-agent init\n/)
    const home = join(folder, "home")
    expect(
      await runCli(["init", "--hub", "https://hub.example", "--home", home], {
        program: command("hub-agent.js"),
        cwd: shell
      })
    ).toMatchObject({ status: 0, errors: "" })
    expect((await readdir(home)).toSorted()).toEqual(["agent.json", "key"])
  })

  test("brings what it is made of, with the licences, and no path of where it was made", async () => {
    const manifest = JSON.parse(await readFile(command("package.json"), "utf8")) as Record<string, unknown>
    expect([manifest["dependencies"], manifest["version"]]).toEqual([undefined, VERSION])
    const licences = await readFile(command("LICENCES.txt"), "utf8")
    for (const name of ["@modelcontextprotocol/sdk 1.", "ajv 8.", "libsodium 0.", "zod 4."])
      expect(licences).toContain(`\n${name}`.trim())
    for (const file of (await readdir(command())).filter((name) => name.endsWith(".js")))
      expect(await readFile(command(file), "utf8")).not.toContain(projectRoot)
  })

  test("loads what speaks to models only where it is asked to", async () => {
    const source = await readFile(command("hub-agent.js"), "utf8")
    expect(source).not.toMatch(/^import .*"\.\/server\.js"/m)
    expect(source).not.toMatch(/^import .*libsodium/m)
    // Each kind of value of Effect has such a name.
    for (const file of ["hub-agent.js", "file.js"])
      expect(await readFile(command(file), "utf8")).not.toContain("~effect/")
    expect(source).toMatch(/\bimport\("\.\/server\.js"\)/)
    const player = await startPlayer((_, response) => data(response, { author: { hx_id: "HX-000002" }, body: "Two." }))
    const home = join(folder, "home-mcp")
    await runCli(["init", "--hub", player.url, "--home", home], { program: command("hub-agent.js"), cwd: shell })
    const host = await startHost(player.url, home, ["--tools", "write"], command("hub-agent.js"))
    try {
      const { text } = await host.call("getReply", { id: 2 })
      expect(text).toMatch(/^Untrusted data of HX-000002, by way of .*\n\{"data":/)
      expect((await host.call("reply", { id: 2 })).structured).toMatchObject({ error: { details: { field: "body" } } })
    } finally {
      await host.stop()
      await player.stop()
    }
  })
})
