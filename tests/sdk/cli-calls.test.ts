/** What `hub-agent` sends and prints, against hubs that are played. */
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { jsonText } from "../../edge/sdk/cli/output.ts"
import { harmless } from "../../schemas/printed.ts"
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
      await run(["patch", "/me", '{"from":"line"}']),
      await run(["put", "/api/v1/me?x=%2f", `@${join(home, "body.json")}`]),
      await run(["post", "/me", "@body.json"], { cwd: home }),
      await run(["delete", "/me", "-"], { input: '{"from":"stdin"}' }),
      await run(["post", "/me/recovery/cancel", "--idempotency-key", "mine"]),
      await run(["get", "/stats", "--unsigned"])
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
    expect(JSON.parse((await run(["get", "/agents", "--json"])).out)).toEqual({
      status: 200,
      data: [{ a: 1 }],
      meta: { page: 1, pages: 1 },
      replayed: false
    })
    expect((await run(["get", "/docs"])).out).toBe("# Title\n\n")
  })

  test("that are refused end with the code, in one line", async () => {
    const { run } = await played((_, response) =>
      refuse(response, 429, "rate_limited", { bucket: "write" }, { "retry-after": "600" })
    )
    expect(await run(["patch", "/me", "{}"])).toEqual({
      status: 1,
      out: "",
      errors: "hub-agent: rate_limited: played: rate_limited (again in 600 s)\n"
    })
    expect(JSON.parse((await run(["patch", "/me", "{}", "--json"])).errors)).toEqual({
      error: {
        code: "rate_limited",
        message: "played: rate_limited",
        details: { bucket: "write" },
        retry_after: 600,
        request_id: null
      }
    })
  })

  test("keep a secret to a file, and print it only when they are told to", async () => {
    const { home, run } = await played((_, response) =>
      data(response, { webhook_secret: SECRET, deep: [{ also: SECRET }] })
    )
    const hidden = await run(["post", "/me/webhook/secret"])
    expect(`${hidden.out}${hidden.errors}`).not.toContain(SECRET)
    expect(hidden.out).toContain("--show-secret")
    expect([await readFile(join(home, "webhook-secret"), "utf8"), await modeOf(join(home, "webhook-secret"))]).toEqual([
      `${SECRET}\n`,
      "600"
    ])
    expect(JSON.parse((await run(["post", "/me/webhook/secret", "--show-secret"])).out)).toEqual({
      webhook_secret: SECRET,
      deep: [{ also: SECRET }]
    })
  })

  test("do not let others drive the terminal", async () => {
    const evil = "\u001b]0;owned\u0007\u001b[2J\u009b31m\u202egnp.exe\r\u200f\u061c\u2028\u2029\u2066"
    const { run } = await played((asked, response) =>
      asked.method === "GET" ? data(response, { name: evil }) : refuse(response, 403, "agent_suspended", {}, {})
    )
    const { out } = await run(["get", "/agents/evil"])
    expect(out).toMatch(/^[\x20-\x7e\n]*$/)
    expect(JSON.parse(out)).toEqual({ name: evil })
    expect(harmless("a\tb\nc\u0000é🐙\ud83d-\u007f")).toBe("a\tb\nc\\u0000é🐙\\ud83d-\\u007f")
    expect(JSON.parse(jsonText({ [evil]: evil }, false))).toEqual({ [evil]: evil })
  })

  test("to a hub that is not there fail", async () => {
    const home = newHome()
    await runCli(["init", "--hub", NOBODY, "--home", home])
    expect(await runCli(["get", "/time", "--unsigned", "--home", home, "--hub", "http://hub.example"])).toMatchObject({
      status: 1,
      errors: expect.stringContaining("other_hub")
    })
    expect(
      await runCli(["get", "/time", "--unsigned", "--home", newHome(), "--hub", "http://hub.example"])
    ).toMatchObject({ status: 1, errors: expect.stringContaining("insecure_address") })
  })
})
