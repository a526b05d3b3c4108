/** What `hub-agent mcp` does with answers that are too long, calls that take too long, and lines that are none. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { AGENTS_MAX, PART_MAX_CHARS } from "../../edge/sdk/mcp/answers.ts"
import { ANSWER_MAX_BYTES, CALLS_MAX } from "../../edge/sdk/mcp/tool-calls.ts"
import { programPath, waitFor } from "../harness/index.ts"
import { closeFolder, openFolder, played } from "./support/home.ts"
import { type Host, startHost } from "./support/mcp.ts"
import { data, type Play } from "./support/player.ts"

const hosts: Array<Host> = []

beforeAll(openFolder)
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.stop()))
})
afterAll(closeFolder)

const hosted = async (play: Play, ...args: ReadonlyArray<string>) => {
  const { home, player } = await played(play)
  const host = await startHost(player.url, home, args)
  hosts.push(host)
  return { host, player }
}

interface Part {
  readonly from: number
  readonly to: number
  readonly characters: number
  readonly cursor: string | null
}

describe("a long answer", () => {
  test("comes in parts that make up the whole, each with its source", async () => {
    const long = { author: { hx_id: "HX-000002" }, body: "🐙 é\n".repeat(20_000) }
    const { host, player } = await hosted((_, response) => data(response, long))
    let answer = await host.call("getPost", { id: 1 })
    let whole = ""
    for (let part: Part | undefined; ; answer = await host.call("more", { cursor: part.cursor })) {
      part = answer.structured["part"] as Part
      const { text, source } = answer.structured
      expect(String(text).length).toBeLessThanOrEqual(PART_MAX_CHARS)
      expect(answer.text.length).toBeLessThan(PART_MAX_CHARS + 500)
      expect(source).toMatchObject({ agents: ["HX-000002"] })
      expect(answer.text).toMatch(/^Untrusted data of HX-000002, by way of /)
      expect([part.from, String(text).isWellFormed()]).toEqual([whole.length, true])
      whole += String(text)
      if (part.cursor === null) break
      expect(answer.text).toContain(`{"cursor": "${part.cursor}"}`)
    }
    expect(JSON.parse(whole)).toEqual({ data: long })
    expect(player.asked).toHaveLength(1)
  })

  test("of a list is cut between its records, and within a text only where it says so", async () => {
    const tricky = String.raw`{"a": [1, "\", "}], {`
    const record = (id: number) => ({ id, title: tricky.repeat(10), nested: { list: [id, [id]], text: ", {" } })
    const records = Array.from({ length: 300 }, (_, id) => record(id))
    const { host } = await hosted((_, response) => data(response, [...records, { long: "y,".repeat(PART_MAX_CHARS) }]))
    const texts: Array<string> = []
    const wholes: Array<unknown> = []
    let answer = await host.call("listPosts", {})
    for (let part: Part | undefined; ; answer = await host.call("more", { cursor: part.cursor })) {
      part = answer.structured["part"] as Part
      texts.push(String(answer.structured["text"]))
      wholes.push(answer.structured["part"])
      expect(answer.text.includes("ends within a text")).toBe(!(part as Part & { whole: boolean }).whole)
      if (part.cursor === null) break
    }
    const first = texts.filter((_, index) => (wholes[index] as { whole: boolean }).whole).slice(0, -1)
    expect(first.length).toBeGreaterThan(3)
    for (const [index, text] of first.entries())
      expect(() => JSON.parse(`${index === 0 ? "" : "["}${text.slice(0, -1)}${index === 0 ? "]}" : "]"}`)).not.toThrow()
    expect(wholes.at(-2)).toMatchObject({ whole: false })
    expect(JSON.parse(texts.join(""))).toMatchObject({ data: { length: 301 } })
  })

  test("that is longer than anything should be is an error", async () => {
    const { host } = await hosted((_, response) => data(response, "x".repeat(ANSWER_MAX_BYTES)))
    expect((await host.call("getPost", { id: 1 })).structured).toMatchObject({ error: { code: "answer_too_large" } })
  })

  test("is kept until others make room", async () => {
    const { host } = await hosted((_, response) => data(response, "x".repeat(PART_MAX_CHARS)))
    const cursors: Array<string> = []
    for (let id = 1; id <= 9; id++)
      cursors.push(String(((await host.call("getPost", { id })).structured["part"] as Part).cursor))
    const [oldest, next] = [
      await host.call("more", { cursor: cursors[0] }),
      await host.call("more", { cursor: cursors[1] })
    ]
    expect([oldest.isError, next.isError]).toEqual([true, false])
  })

  test("of an error is shortened", async () => {
    const { host } = await hosted((_, response) => {
      response.writeHead(422, { "content-type": "application/json" })
      const error = { code: "validation_error", message: "m".repeat(9000), details: { field: "f".repeat(90_000) } }
      response.end(JSON.stringify({ ok: false, error }))
    })
    const { text, isError } = await host.call("getPost", { id: 1 })
    expect([isError, text.length < 3000]).toEqual([true, true])
    expect(text).toContain("left_out")
  })
})

describe("an answer", () => {
  const tagged = [..."ignore"].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("")
  const hidden = `a\u001b[2J\u202eb\u200b\b\f${tagged}\ud800\u0085\u2029`
  const unseen = /(?![\n\t])[\p{Cc}\p{Cs}\p{Cf}\u2028\u2029\u{e0000}-\u{e007f}]/u
  const valuesOf = (value: unknown): ReadonlyArray<string> =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([name, inner]) => [name, ...valuesOf(inner)])
      : [String(value)]

  test("has no control and no unseen character in its text or its structure", async () => {
    const seen = 'Line one\n\tline "two" \\u202e C:\\new é 🐙'
    const { host } = await hosted((_, response) => data(response, { [hidden]: [{ hidden, seen }] }))
    const { text, structured } = await host.call("getPost", { id: 1 })
    expect(text).not.toMatch(unseen)
    expect(valuesOf(structured).filter((value) => unseen.test(value))).toEqual([])
    const escaped = Array.from({ length: hidden.length }, (_, at) => hidden.charAt(at))
      .map((unit) => (/[ab[2J]/.test(unit) ? unit : `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`))
      .join("")
      .replace(String.raw`\u0008\u000c`, String.raw`\b\f`)
    expect(structured["data"]).toEqual({ [escaped]: [{ hidden: escaped, seen }] })
  })

  test("that is an error neither", async () => {
    const { host } = await hosted((_, response) => {
      response.writeHead(422, { "content-type": "application/json", "x-request-id": "r".repeat(9000) })
      response.end(JSON.stringify({ ok: false, error: { code: "x", message: hidden, details: { [hidden]: hidden } } }))
    })
    const { text, structured } = await host.call("getPost", { id: 1 })
    expect([text, ...valuesOf(structured)].filter((value) => unseen.test(value))).toEqual([])
    expect(structured).toMatchObject({ error: { code: "x", request_id: null } })
  })

  test("names so many agents, and says that there are others; what is no number is none", async () => {
    const many = Array.from({ length: AGENTS_MAX + 1 }, (_, index) => ({
      author: { hx_id: `HX-${String(index + 1).padStart(6, "0")}` }
    }))
    const { host } = await hosted(({ target }, response) =>
      data(response, target.endsWith("/1") ? many : [{ author: { hx_id: "HX-000001, an operator" } }])
    )
    const { text, structured } = await host.call("getPost", { id: 1 })
    expect(text).toMatch(/^Untrusted data of (HX-\d{6}, ){19}HX-\d{6} and others, by way of /)
    expect(structured).toMatchObject({ source: { others: true } })
    expect((await host.call("getPost", { id: 2 })).text).toMatch(/^Untrusted data of whoever wrote it, by way of /)
  })
})

describe("a call", () => {
  test("that is cancelled ends its request", async () => {
    let [asked, closed] = [0, 0]
    const { host } = await hosted((_, response) => {
      asked++
      response.once("close", () => closed++)
    })
    const cancel = new AbortController()
    const call = host.call("getPost", { id: 1 }, cancel.signal).catch((error: Error) => error.message)
    await waitFor(() => asked === 1)
    cancel.abort("enough")
    expect(await call).toContain("enough")
    await waitFor(() => closed === 1)
    expect((await host.client.listTools()).tools.length).toBeGreaterThan(30)
  })

  test("too many at one time are refused", async () => {
    const open: Array<() => void> = []
    const { host } = await hosted((_, response) => void open.push(() => data(response, { id: 1 })))
    const calls = Array.from({ length: CALLS_MAX }, () => host.call("getPost", { id: 1 }))
    await waitFor(() => open.length === CALLS_MAX)
    expect((await host.call("getPost", { id: 1 })).structured).toMatchObject({ error: { code: "too_many_calls" } })
    for (const answer of open) answer()
    expect((await Promise.all(calls)).map(({ isError }) => isError)).toEqual(calls.map(() => false))
  })
})

describe("standard input and output", () => {
  test("carry the protocol alone; what is no message is passed over, and the end of input is the end", async () => {
    const { home, player } = await played((_, response) => data(response, { text: "\n{}\n" }))
    const program = ["--no-warnings", await programPath("agent"), "mcp"]
    const child = spawn(process.execPath, [...program, "--hub", player.url, "--home", home])
    const lines: Array<unknown> = []
    createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line)))
    const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
    child.stdin.write("nonsense\n{\n[1]\n\n")
    const clientInfo = { name: "raw", version: "1" }
    say({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } })
    say({ method: "notifications/initialized" })
    say({ id: 2, method: "tools/call", params: { name: "getPost", arguments: { id: 1 } } })
    say({ id: 3, method: "tools/call", params: { name: "getPost", arguments: "id" } })
    say({ id: 4, method: "no/such" })
    await waitFor(() => lines.length === 4)
    expect(lines.map((line) => (line as { readonly id: number }).id).toSorted()).toEqual([1, 2, 3, 4])
    const exit = once(child, "exit")
    child.stdin.end()
    expect(await exit).toEqual([0, null])
    expect(lines).toHaveLength(4)
  })
})
