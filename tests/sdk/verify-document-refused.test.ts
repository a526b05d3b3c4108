/** A directory's document that is cut short, malformed or says what cannot be: nothing of it is taken. */
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { BOUNDS } from "../../edge/sdk/verify.ts"
import { newKey, type TestAgent, TestHub } from "./verify-hub.ts"
import { type Document, hub, reading } from "./verify-documents.ts"

describe("a document that is refused", () => {
  const changed = (change: (document: Document) => void): string => {
    const document = structuredClone(hub.directory())
    change(document)
    return JSON.stringify(document)
  }
  const entryWith = (members: Record<string, unknown>): string =>
    changed(({ data }) => void Object.assign(data.agents["HX-000001"] ?? {}, members))
  const keysWith = (members: Record<string, unknown>): string =>
    entryWith({
      keys: [
        { public_key: newKey().publicKey, status: "retired", from: "x", retired_at: "2026-01-01T00:00:00Z", ...members }
      ]
    })
  const without = (name: string): string => changed(({ data }) => void delete data.agents["HX-000001"]?.[name])
  const whole = JSON.stringify(hub.directory())

  it.each<readonly [string, string]>([
    ["nothing", ""],
    ["no JSON", "<html>"],
    ["a list", "[]"],
    ["a text", '"directory"'],
    ["ok that is false", whole.replace('"ok":true', '"ok":false')],
    ["no ok", whole.replace('"ok":true,', "")],
    ["no data", '{"ok":true}'],
    ["data that is a list", '{"ok":true,"data":[]}'],
    ["something after its end", `${whole}{}`],
    ["a comma too much", whole.replace(/\}\}\}$/, ",}}}")],
    ["a member twice", whole.replace('"count":5', '"count":5,"count":5')],
    ["data twice", whole.replace('"ok":true', '"ok":true,"data":{}')],
    [
      "an agent twice",
      whole
        .replace('"agents":{', `"agents":{"HX-000001":${JSON.stringify(hub.directory().data.agents["HX-000001"])},`)
        .replace('"count":5', '"count":6')
    ],
    ["a count too high", changed(({ data }) => void data.count++)],
    ["a count too low", changed(({ data }) => void data.count--)],
    ["a count that is none", whole.replace('"count":5', '"count":5.5')],
    ["max_number below a number", changed(({ data }) => void (data.max_number = 999_999))],
    ["no generated_at", changed(({ data }) => void delete (data as Partial<typeof data>).generated_at)],
    ["generated_at that is no time", changed(({ data }) => void (data.generated_at = "today"))],
    ["__proto__ as a number", whole.replace('"agents":{', '"agents":{"__proto__":{},')],
    ["constructor as a number", whole.replace('"HX-000001":', '"constructor":')],
    ["a number that is not canonical", whole.replace('"HX-000001":', '"HX-00001":')],
    ["an id of another agent", entryWith({ id: "HX-000002" })],
    ["an agent that is null", whole.replace('"agents":{', '"agents":{"HX-000003":null,')],
    ["an agent that is a list", whole.replace('"agents":{', '"agents":{"HX-000003":[],')],
    ["a handle with a quote", entryWith({ handle: 'a"><script>' })],
    ["a handle of 33", entryWith({ handle: "h".repeat(33) })],
    ["an empty handle", entryWith({ handle: "" })],
    ["an unknown status", entryWith({ status: "superuser" })],
    ["an unknown moderation", entryWith({ moderation: "muted" })],
    ["a key of 31 bytes", entryWith({ public_key: Buffer.alloc(31).toString("base64") })],
    ["a key of 33 bytes", entryWith({ public_key: Buffer.alloc(33).toString("base64") })],
    ["a key that is no base64", entryWith({ public_key: `${"A".repeat(42)}!=` })],
    ["a key that is null", entryWith({ public_key: null })],
    ["a key of a number", entryWith({ public_key: 7 })],
    ["keys that are null", entryWith({ keys: null })],
    ["keys that are texts", entryWith({ keys: ["x"] })],
    ["keys that are lists", entryWith({ keys: [[]] })],
    ["a retired key that is none", keysWith({ public_key: "AAAA" })],
    ["a retired key of an unknown status", keysWith({ status: "lost" })],
    ["a retired key without its time", keysWith({ retired_at: undefined })],
    ["a retired key at no time", keysWith({ retired_at: "then" })],
    ["trust in words", entryWith({ trust: "high" })],
    ["trust without bounds", whole.replace('"trust":11', '"trust":1e999')],
    ["an address of a script", entryWith({ profile_url: "javascript:alert(1)" })],
    ["an address with a blank", entryWith({ profile_url: "https://hub.example/ x" })],
    ["an address with a letter beyond ASCII", entryWith({ id_url: "https://bücher.example" })],
    ["an address that is too long", entryWith({ id_url: `https://hub.example/${"u".repeat(BOUNDS.urlChars)}` })],
    ["an address that is missing", entryWith({ id_url: null })],
    ...[
      "id",
      "handle",
      "status",
      "moderation",
      "public_key",
      "keys",
      "trust",
      "reputation",
      "profile_url",
      "id_url"
    ].map((name) => [`an agent without ${name}`, without(name)] as const),
    ["nesting without end", whole.replace('"ok":true', `"deep":${"[".repeat(100_000)}`)],
    ["nesting of objects", whole.replace('"ok":true', `"ok":true,"deep":${'{"a":'.repeat(40)}1${"}".repeat(40)}`)],
    ["a number without end", whole.replace('"trust":11', `"trust":${"1".repeat(100_000)}`)],
    ["a control character in a text", whole.replace("agent-1", "agent\n1")],
    ["an escape that is none", whole.replace("agent-1", "agent\\x1")],
    ["an unfinished escape", whole.replace("agent-1", "agent\\u00g1")],
    ["a number with a leading zero", whole.replace('"trust":11', '"trust":011')],
    ["a lone minus", whole.replace('"trust":11', '"trust":-')],
    ["a word that is none", whole.replace('"moderation":null', '"moderation":nil')],
    ["brackets that do not match", '{"ok":true,"x":[1,2}}'],
    ["a name that is none", "{ok:true}"],
    ["a missing colon", '{"ok" true}'],
    ["a missing comma", '{"ok":true "data":{}}']
  ])("%s", async (_name, text) => {
    expect(await reading(text).ready()).toBe(false)
  })

  it("any beginning of a good one", async () => {
    for (let end = 0; end < whole.length; end += 7) expect(await reading(whole.slice(0, end)).ready()).toBe(false)
  })

  it("anything that JSON itself refuses, whatever was changed in it", async () => {
    const bytes = new TextEncoder().encode(whole)
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: bytes.length - 1 }),
        fc.nat({ max: 255 }),
        fc.constantFrom("set", "insert", "remove"),
        async (at, byte, how) => {
          const spoilt = Uint8Array.from([
            ...bytes.slice(0, at),
            ...(how === "remove" ? [] : [byte]),
            ...bytes.slice(how === "insert" ? at : at + 1)
          ])
          let isJson = true
          try {
            JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(spoilt))
          } catch {
            isJson = false
          }
          const isUtf8 = byte < 128
          const taken = await reading(spoilt).ready()
          // What lies beyond ASCII is looked at only where it would be kept.
          if (!isJson && isUtf8) expect(taken).toBe(false)
        }
      ),
      { numRuns: 3000 }
    )
  })
})

describe("after a document that is refused", () => {
  const holder = new TestHub()
  let agent: TestAgent
  let real: TestHub

  beforeAll(async () => {
    real = await TestHub.start()
    agent = real.agent()
  })
  afterAll(() => real.stop())

  it.each<readonly [string, string]>([
    ["cut short", '{"ok":true,"data":{"generated_at":"2026-11-21T12:00:00Z","max_number":0,"count":0,"agents":{'],
    ["of another form", JSON.stringify({ ok: true, data: holder.directory().data.agents })],
    [
      "of nobody, though it counts one",
      '{"ok":true,"data":{"generated_at":"2026-11-21T12:00:00Z","max_number":1,"count":1,"agents":{}}}'
    ]
  ])("%s, the last one stays, and the attempt counts", async (_name, text) => {
    const verifier = real.verifier()
    real.answer = null
    await verifier.ready()
    real.clock.pass(300)
    real.answer = (_asked, response) => real.sendJson(response, text, { etag: '"poisoned"' })
    const before = real.directoryReads
    expect(await verifier.check(agent.request())).toMatchObject({ valid: true })
    expect(verifier.state()).toMatchObject({ agents: 1, age_seconds: 300 })
    expect(await verifier.check(agent.request({ key: newKey() }))).toMatchObject({ reason: "bad_signature" })
    expect(real.directoryReads).toBe(before + 1)
    real.clock.pass(60)
    await verifier.ready()
    expect(real.asked.at(-1)?.headers["if-none-match"]).not.toBe('"poisoned"')
  })
})
