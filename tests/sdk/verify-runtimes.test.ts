/**
 * The file as websites get it: it imports nothing and runs on whatever Ed25519 there is. What it is made of needs
 * nothing but what every runtime has: it type-checks by the settings of each.
 */
import { execFile } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, posix } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { newKey, TestHub } from "./verify-hub.ts"

const run = promisify(execFile)
const ENTRY = "edge/sdk/verify.ts"
const BUNDLE = "edge/sdk/verify.bundle.js"
const source = readFileSync(join(projectRoot, BUNDLE), "utf8")
let folder = ""

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "hub-verifier-"))
  copyFileSync(join(projectRoot, BUNDLE), join(folder, "verify.mjs"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The verifier's source, and every one that it leads to. */
const sources = (): ReadonlyArray<string> => {
  const found = new Set([ENTRY])
  for (const file of found)
    for (const [, name = ""] of readFileSync(join(projectRoot, file), "utf8").matchAll(/ from "([^"]+)"\n/g))
      found.add(posix.join(posix.dirname(file), name))
  return [...found]
}

describe("the file", () => {
  const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "")

  it("imports nothing, at its beginning or later", () => {
    const found = [/\bimport\b/, /\brequire\s*\(/, /\bexport\b[^;]*\bfrom\b/].map((one) => one.exec(code)?.[0] ?? null)
    expect(found).toEqual([null, null, null])
    expect(code.match(/node:\w+/g)).toEqual(["node:crypto"])
  })

  it("says that it is generated, and of what", () => {
    expect(source.slice(0, source.indexOf("*/"))).toContain(`Generated from ${ENTRY}`)
  })

  it("exports what its source does", async () => {
    const [bundle, entry] = await Promise.all([
      import(pathToFileURL(join(folder, "verify.mjs")).href),
      import("../../edge/sdk/verify.ts")
    ])
    expect(Object.keys(bundle as object).toSorted()).toEqual(Object.keys(entry).toSorted())
  })

  it.each<readonly [string, Record<string, unknown>]>([
    ["a page's", { lib: ["es2023", "dom", "dom.iterable"], types: [], module: "esnext", moduleResolution: "bundler" }],
    ["a worker's", { lib: ["es2023", "webworker"], types: [], module: "esnext", moduleResolution: "bundler" }],
    [
      "Node's",
      {
        lib: ["es2023"],
        types: ["node"],
        typeRoots: [join(projectRoot, "node_modules/@types")],
        module: "nodenext",
        moduleResolution: "nodenext"
      }
    ]
  ])("is made of what type-checks by %s settings, a fetch and an Ed25519 of theirs included", async (name, options) => {
    const place = mkdtempSync(join(folder, "types-"))
    for (const file of sources()) {
      mkdirSync(join(place, dirname(file)), { recursive: true })
      copyFileSync(join(projectRoot, file), join(place, file))
    }
    writeFileSync(join(place, "package.json"), '{"type":"module"}')
    writeFileSync(
      join(place, "website.ts"),
      `
      import { createVerifier, fetchHandler, type Verdict } from "./${ENTRY}"
      const verifier = createVerifier({
        hub: "https://hub.example",
        hosts: ["shop.example"],
        fetch: (url, init) => fetch(url, init),
        ed25519: { verify: () => Promise.resolve(false) }
      })
      export const handler: (request: Request) => Promise<Response> =
        fetchHandler(verifier, (_request: Request, verdict: Verdict) => new Response(verdict.handle))
      export const plain = (): Promise<Verdict> =>
        verifier.check({ method: "GET", path: "/", headers: { "hub-id": "x", accept: ["a", "b"] } })
      // @ts-expect-error A request has a path.
      export const wrong = (): Promise<Verdict> => verifier.check({ method: "GET", headers: {} })
    `
    )
    const strict = {
      strict: true,
      noEmit: true,
      target: "es2022",
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      erasableSyntaxOnly: true,
      isolatedModules: true,
      verbatimModuleSyntax: true,
      allowImportingTsExtensions: true
    }
    writeFileSync(
      join(place, "tsconfig.json"),
      JSON.stringify({ compilerOptions: { ...strict, ...options }, include: ["website.ts"] })
    )
    const checked = await run(process.execPath, [
      join(projectRoot, "node_modules/typescript/bin/tsc"),
      "-p",
      place
    ]).catch((error: { stdout: string }) => error)
    expect(checked.stdout, name).toBe("")
  })
})

it("is made without randomness, timers or I/O, which workers do not have while they start", async () => {
  const forbidden = vi.fn(() => {
    throw new Error("not while a worker starts")
  })
  vi.stubGlobal("crypto", { getRandomValues: forbidden, subtle: new Proxy({}, { get: forbidden }) })
  for (const name of ["setTimeout", "fetch"]) vi.stubGlobal(name, forbidden)
  try {
    const { createVerifier } = (await import(
      `${pathToFileURL(join(folder, "verify.mjs")).href}?started`
    )) as typeof import("../../edge/sdk/verify.ts")
    for (const mode of ["directory", "lookup", "online"] as const)
      createVerifier({ hub: "https://hub.example", hosts: ["shop.example"], mode })
    expect(forbidden).not.toHaveBeenCalled()
  } finally {
    vi.unstubAllGlobals()
  }
})

describe("Ed25519", () => {
  /** Requests of one hub, judged by a process in which only some of Node is to be had. */
  const judged = async (
    hide: string,
    options = "{}"
  ): Promise<{ reasons: ReadonlyArray<string | null>; error: string | null }> => {
    const hub = new TestHub()
    hub.base = "https://hub.example"
    hub.clock.ms = Date.now()
    const agent = hub.agent()
    agent.rotate()
    const [old, bad] = [agent.keys[0]?.pair ?? newKey(), newKey()]
    // 32 bytes that are no point of the curve.
    const broken = hub.agent()
    const forged = broken.request()
    broken.keys = [{ pair: { ...broken.key, publicKey: Buffer.from("02".padEnd(64, "0"), "hex").toString("base64") } }]
    const requests = [agent.request(), agent.request({ key: old }), agent.request({ key: bad }), forged]
    const script = join(folder, `${hide.length}-${options.length}.mjs`)
    writeFileSync(
      script,
      `
      import { createPublicKey, verify } from "node:crypto"
      import * as noble from ${JSON.stringify(pathToFileURL(join(projectRoot, "node_modules/@noble/ed25519/index.js")).href)}
      const { subtle } = globalThis.crypto
      ${hide}
      const { createVerifier } = await import("./verify.mjs")
      const fetch = async () => new Response(${JSON.stringify(JSON.stringify(hub.directory()))})
      const verifier = createVerifier({
        hub: "https://hub.example", hosts: ["shop.example"], clock: "own", now: () => ${hub.clock.ms}, fetch, ...${options}
      })
      const reasons = []
      let error = null
      try {
        for (const request of ${JSON.stringify(requests)}) reasons.push((await verifier.check(request)).reason)
      } catch (cause) {
        error = cause.message
      }
      console.log(JSON.stringify({ reasons, error }))
    `
    )
    return JSON.parse((await run(process.execPath, [script])).stdout) as {
      reasons: ReadonlyArray<string | null>
      error: string | null
    }
  }
  const EXPECTED = { reasons: [null, "key_retired", "bad_signature", "bad_signature"], error: null }
  const WITHOUT_NODE = "process.getBuiltinModule = undefined;"
  const WITHOUT_SUBTLE =
    'Object.defineProperty(globalThis, "crypto", { value: { getRandomValues: (array) => array } });'
  /** A runtime that has the rest of WebCrypto. */
  const SUBTLE_WITHOUT_ED25519 = `Object.defineProperty(globalThis, "crypto", { value: { getRandomValues: (array) => array, subtle: {
    digest: (name, data) => subtle.digest(name, data),
    importKey: () => Promise.reject(new DOMException("not here", "NotSupportedError"))
  } } });`

  it("is Node's own", async () => {
    expect(await judged(WITHOUT_SUBTLE)).toEqual(EXPECTED)
  })

  it("is WebCrypto's where nothing of Node is there", async () => {
    expect(await judged(WITHOUT_NODE)).toEqual(EXPECTED)
    expect(await judged("globalThis.process = undefined;")).toEqual(EXPECTED)
  })

  it("is the website's where the runtime has none", async () => {
    expect(
      await judged(
        WITHOUT_NODE + SUBTLE_WITHOUT_ED25519,
        "{ ed25519: { verify: (signature, message, key) => noble.verifyAsync(signature, message, key) } }"
      )
    ).toEqual(EXPECTED)
  })

  it("is not the website's where the runtime has one", async () => {
    expect(await judged(WITHOUT_NODE, '{ ed25519: { verify: () => { throw new Error("asked") } } }')).toEqual(EXPECTED)
  })

  it("is asked for by name where there is none at all", async () => {
    const { reasons, error } = await judged(WITHOUT_NODE + WITHOUT_SUBTLE)
    expect(reasons).toEqual([])
    expect(error).toContain("ed25519")
  })

  it.each(["true", "false", "undefined"])("that says %s to anything is not believed", async (answer) => {
    const { error } = await judged(WITHOUT_NODE + WITHOUT_SUBTLE, `{ ed25519: { verify: () => ${answer} } }`)
    expect(error).toContain("ed25519")
  })
})
