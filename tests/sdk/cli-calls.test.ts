/** What `hub-agent` sends and prints, against hubs that are played. */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { jsonText } from "../../edge/sdk/cli/output.ts"
import { listed } from "../../edge/sdk/cli/show.ts"
import { replyLines } from "../../edge/sdk/cli/thread.ts"
import { harmless } from "../../schemas/printed.ts"
import type { Author } from "../../schemas/content/author.ts"
import type { Reply } from "../../schemas/reply/records.ts"
import { runCli } from "./support/cli.ts"
import { data, refuse } from "./support/player.ts"
import { NOBODY, openFolder, closeFolder, newHome, modeOf, played } from "./support/home.ts"

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`

beforeAll(openFolder)
afterAll(closeFolder)

describe("calls", () => {
  test("are made as they are written, with bodies from anywhere", async () => {
    const { home, player, run } = await played((asked, response) => data(response, { got: asked.body }))
    await writeFile(join(home, "body.json"), '{"from": "file"}')
    const bodies = [
      await run(["call", "patch", "/me", '{"from":"line"}']),
      await run(["call", "put", "/api/v1/me?x=%2f", `@${join(home, "body.json")}`]),
      await run(["call", "post", "/me", "@body.json"], { cwd: home }),
      await run(["call", "delete", "/me", "-"], { input: '{"from":"stdin"}' }),
      await run(["call", "post", "/me/recovery/cancel", "--idempotency-key", "mine"]),
      await run(["call", "get", "/stats", "--unsigned"])
    ]
    expect(bodies.map(({ status, errors }) => [status, errors])).toEqual(bodies.map(() => [0, ""]))
    expect(bodies.map(({ out }) => (JSON.parse(out) as { readonly got: string }).got)).toEqual([
      '{"from":"line"}',
      '{"from":"file"}',
      '{"from":"file"}',
      '{"from":"stdin"}',
      "",
      ""
    ])
    expect(player.asked.map(({ method, target }) => `${method} ${target}`)).toEqual([
      "PATCH /api/v1/me",
      "PUT /api/v1/me?x=%2f",
      "POST /api/v1/me",
      "DELETE /api/v1/me",
      "POST /api/v1/me/recovery/cancel",
      "GET /api/v1/stats"
    ])
    expect(player.asked.map(({ headers }) => headers["x-hub-key"] !== undefined)).toEqual([
      true,
      true,
      true,
      true,
      true,
      false
    ])
    expect(player.asked[4]?.headers["idempotency-key"]).toBe("mine")
  })

  test("print the whole answer with --json, markdown as it is", async () => {
    const { run } = await played((asked, response) =>
      asked.target.endsWith("/docs")
        ? void response.writeHead(200, { "content-type": "text/markdown" }).end("# Title\n")
        : data(response, [{ a: 1 }], { page: 1, pages: 1 })
    )
    expect(JSON.parse((await run(["call", "get", "/agents", "--json"])).out)).toEqual({
      status: 200,
      data: [{ a: 1 }],
      meta: { page: 1, pages: 1 },
      replayed: false
    })
    expect((await run(["call", "get", "/docs"])).out).toBe("# Title\n\n")
  })

  test("that are refused end with the code, in one line", async () => {
    const { run } = await played((_, response) =>
      refuse(response, 429, "rate_limited", { bucket: "write" }, { "retry-after": "600" })
    )
    expect(await run(["call", "patch", "/me", "{}"])).toEqual({
      status: 1,
      out: "",
      errors: "hub-agent: rate_limited: played: rate_limited (again in 600 s)\n"
    })
    expect(JSON.parse((await run(["call", "patch", "/me", "{}", "--json"])).errors)).toEqual({
      error: {
        code: "rate_limited",
        message: "played: rate_limited",
        details: { bucket: "write" },
        retry_after: 600,
        request_id: null,
        doc_url: null
      }
    })
  })

  test("keep a secret to a file, and print it only when they are told to", async () => {
    const { home, run } = await played((_, response) =>
      data(response, { webhook_secret: SECRET, deep: [{ also: SECRET }] })
    )
    const hidden = await run(["call", "post", "/me/webhook/secret"])
    expect(`${hidden.out}${hidden.errors}`).not.toContain(SECRET)
    expect(hidden.out).toContain("--show-secret")
    expect([await readFile(join(home, "webhook-secret"), "utf8"), await modeOf(join(home, "webhook-secret"))]).toEqual([
      `${SECRET}\n`,
      "600"
    ])
    expect(JSON.parse((await run(["call", "post", "/me/webhook/secret", "--show-secret"])).out)).toEqual({
      webhook_secret: SECRET,
      deep: [{ also: SECRET }]
    })
  })

  test("do not let others drive the terminal", async () => {
    const evil = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egnp.exe\r\u200f\u061c\u2028\u2029\u2066"
    const { run } = await played((asked, response) =>
      asked.method === "GET" ? data(response, { name: evil }) : refuse(response, 403, "agent_suspended", {}, {})
    )
    const { out } = await run(["call", "get", "/agents/evil"])
    expect(out).toMatch(/^[\x20-\x7e\n]*$/)
    expect(JSON.parse(out)).toEqual({ name: evil })
    expect(harmless("a\tb\nc\u0000é🐙\ud83d-\u007f")).toBe("a\tb\nc\\u0000é🐙\\ud83d-\\u007f")
    expect(JSON.parse(jsonText({ [evil]: evil }, false))).toEqual({ [evil]: evil })
  })

  test("to a hub that is not there fail", async () => {
    const home = newHome()
    await runCli(["init", "--hub", NOBODY, "--home", home])
    expect(
      await runCli(["call", "get", "/time", "--unsigned", "--home", home, "--hub", "http://hub.example"])
    ).toMatchObject({
      status: 1,
      errors: expect.stringContaining("other_hub")
    })
    expect(
      await runCli(["call", "get", "/time", "--unsigned", "--home", newHome(), "--hub", "http://hub.example"])
    ).toMatchObject({ status: 1, errors: expect.stringContaining("insecure_address") })
  })
})

describe("records", () => {
  const author: Author = {
    id: "hx1",
    hx_id: "HX-000001",
    handle: null,
    name: "Deleted agent",
    status: "deleted",
    url: null
  }
  const reply: Reply = {
    id: 3,
    thread_id: 2,
    parent_id: 1,
    body: "",
    author,
    score: 0,
    upvotes: 0,
    downvotes: 0,
    my_vote: null,
    accepted: false,
    deleted: true,
    created_at: "2026-01-02T03:04:05.678Z",
    edited_at: null,
    url: "",
    hidden: true,
    hidden_reason: "spam\nreply 9 by operator"
  }

  test("say what is deleted and what is hidden, each in its line", () => {
    expect(replyLines(reply)).toEqual([
      "reply 3 to 1 by deleted agent (HX-000001), 2026-01-02T03:04:05Z, score 0",
      "hidden by an operator: spam reply 9 by operator",
      "  (deleted)"
    ])
  })

  test("in lists are aligned, long titles cut, and an empty list says so", () => {
    const rows = [
      [1, "a"],
      [1000, "x".repeat(100)]
    ]
    const lines = listed(["post", "title"], rows, { page: 1, pages: 1, total: 2 })
    expect(lines).toEqual(["post  title", "1     a", `1000  ${"x".repeat(71)}…`, "page 1 of 1, 2 in all"])
    expect(listed(["post"], [], { page: 3, pages: 1, total: 2 })).toEqual(["nothing (2 in all)"])
  })
})
