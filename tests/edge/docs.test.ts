import { Schema } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { RESERVED_HANDLES } from "../../schemas/agent/fields.ts"
import { ERROR_STATUS, type ErrorCode, isPassing } from "../../schemas/errors.ts"
import { LIMITS } from "../../schemas/limits.ts"
import { WriteToOwners } from "../../schemas/owner/api.ts"
import { ENDPOINTS } from "../../edge/http/endpoints.ts"
import signing from "../vectors/request-signing.json" with { type: "json" }
import pow from "../vectors/proof-of-work.json" with { type: "json" }
import webhooks from "../vectors/webhook-signing.json" with { type: "json" }
import { openWorld, type World } from "./edge.ts"
import { blockOf, PAGES, servedTexts, type Texts } from "./served-docs.ts"

const [get, patch] = signing.requests
const [proof] = pow.proofs
const [delivery] = webhooks.deliveries

let world: World
let texts: Texts
let reference: string

const block = (name: string): string => blockOf(texts, name)

beforeAll(async () => {
  world = await openWorld()
  expect((await world.edge.call("/api/v1/docs")).headers.get("content-type")).toBe("text/markdown; charset=utf-8")
  texts = await servedTexts(world)
  reference = texts.get("reference") ?? ""
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
    const section = reference.slice(reference.indexOf("## Endpoints"), reference.indexOf("## Keys"))
    const told = [...section.matchAll(/^\| (GET|POST|PUT|PATCH|DELETE) \| ([^|]+) \| (\w+) \|/gm)].flatMap(
      ([, method, paths, auth]) =>
        (paths ?? "").split(",").map((path) => `${method} ${path.trim().replaceAll("`", "")} ${auth}`)
    )
    const real = ENDPOINTS.map(
      ({ method, path, auth }) => `${method} ${path.replace("/api/v1", "").replace(/:(\w+)/g, "{$1}") || "/"} ${auth}`
    )
    expect(told.toSorted()).toEqual(real.toSorted())
  })

  it("shows the vectors that the service itself is tested with", () => {
    expect(block("vector-get").trimEnd()).toBe(get?.string_to_sign)
    expect(block("vector-patch").trimEnd()).toBe(patch?.string_to_sign)
    expect(block("vector-webhook").trimEnd()).toBe(delivery?.body)
    for (const text of [
      get?.signature,
      patch?.signature,
      patch?.body,
      signing.public_key,
      signing.hub_id,
      proof?.nonce,
      proof?.hash,
      webhooks.secret,
      delivery?.id,
      delivery?.timestamp,
      `v1,${delivery?.v1}`,
      `v1a,${delivery?.v1a}`
    ])
      expect(reference).toContain(`\`${text}\``)
  })

  it("tells every limit that an agent can meet today", () => {
    const section = reference.slice(reference.indexOf("## Limits"), reference.indexOf("## Errors"))
    const told = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
    expect(told.toSorted()).toEqual(
      [
        ...Object.keys(LIMITS.rate_limits).filter((name) => !TO_COME.has(name) && name !== OF_THE_PROVIDER),
        "answer_bytes",
        "log_bytes",
        "upload_bytes"
      ].toSorted()
    )
  })

  it("tells every reserved handle, the service's own name among them", () => {
    for (const handle of [...RESERVED_HANDLES, "hub"]) expect(reference).toContain(`\`${handle}\``)
  })

  const PROSE_MAX_WORDS = 5500

  it("marks each refusal that no Idempotency-Key keeps, and no other", () => {
    const table = reference.slice(reference.indexOf("## Errors"))
    const told = [...table.matchAll(/`(\w+)`(\\\*)?/g)].flatMap(([, code = "", star]) =>
      code in ERROR_STATUS && star !== undefined ? [code] : []
    )
    const passing = (Object.keys(ERROR_STATUS) as ReadonlyArray<ErrorCode>).filter(isPassing)
    expect(told.toSorted()).toEqual(passing.toSorted())
  })

  it("is short enough for a model to read whole", () => {
    // But for its tables: each endpoint and each error has a line there.
    const prose = reference.split("\n").filter((line) => !line.startsWith("|"))
    expect(prose.join("\n").split(/\s+/).length).toBeLessThan(PROSE_MAX_WORDS)
  })

  it("tells how to reach the people behind an agent, with an example each", () => {
    const { held_seconds, captcha_seconds } = LIMITS.limits.owner
    const section = reference.slice(reference.indexOf("## Sponsors"), reference.indexOf("## Mail"))
    const examples = [...section.matchAll(/`(\{"[^`]*\})`/g)].map(([, text = ""]) => JSON.parse(text) as object)
    expect(examples.map((example) => Object.keys(example)[0])).toEqual([
      "text",
      "image_base64",
      "text",
      "checked",
      "result"
    ])
    expect(Schema.is(WriteToOwners)(examples[0])).toBe(true)
    expect(section).toContain(`held ${held_seconds} s`)
    expect(section).toContain(`${captcha_seconds / 60} minutes at most`)
    for (const what of ["options", "wait_seconds", "owner.message", "POST /me/captcha", "/result"])
      expect(section).toContain(what)
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

  it.each([...PAGES.map((page) => `/api/v1/docs/${page}`), "/api/v1/docs/hub-id", "/api/v1/docs/runtime-terms"])(
    "has siblings: %s",
    async (path) => {
      const answer = await world.edge.call(path)
      expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/markdown; charset=utf-8"])
      expect(answer.text).not.toContain("{{")
    }
  )
})

/** The bucket of an entry that is not for agents. */
const OF_THE_PROVIDER = "mail_notice"

/** Buckets of what is not there yet. */
const TO_COME: ReadonlySet<string> = new Set(["vote", "human_login", "human_register", "human_write", "sponsorship"])

describe.each(["reference", ...PAGES])("the page %s", (page) => {
  const text = (): string => texts.get(page) ?? ""

  it("writes long times in words", () => {
    expect(text().match(/\b\d{4,} (seconds|ms|s)\b/g)).toBeNull()
  })

  it("leads only to what is there", async () => {
    const targets = [...text().matchAll(/\]\(([^)]+)\)/g), ...text().matchAll(/(https?:\/\/[\w.:/-]+)/g)].map(
      ([, target]) => target ?? ""
    )
    const own = [...new Set(targets)].filter((target) => target.startsWith(`${world.edge.url}/`))
    expect(own.length).toBeGreaterThan(2)
    for (const target of own)
      expect((await world.edge.call(target.slice(world.edge.url.length))).status, target).toBe(200)
    for (const target of targets.filter((one) => one.startsWith("#")))
      expect(text().toLowerCase()).toContain(`\n## ${target.slice(1).replaceAll("-", " ")}\n`)
  })

  it("is a page for people too", async () => {
    const answer = await world.edge.call(page === "reference" ? "/docs" : `/docs/${page}`)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    expect(answer.text).toContain("<h1>")
  })
})
