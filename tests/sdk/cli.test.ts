/** `hub-agent` by itself: its files, its command line, what it prints; against hubs that are played. */
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { keyFromSeed } from "../../edge/sdk/client.ts"
import { openHome } from "../../edge/sdk/cli/home.ts"
import { jsonText } from "../../edge/sdk/cli/output.ts"
import { harmless } from "../../schemas/printed.ts"
import { testFolder } from "../harness/servers.ts"
import { type Ran, runCli, type RunOptions } from "./support/cli.ts"
import { data, type Play, type Player, refuse, startPlayer } from "./support/player.ts"

const NOBODY = "http://127.0.0.1:9"
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`

let folder = ""
let homes = 0
const players: Array<Player> = []

beforeAll(async () => {
  folder = await testFolder("cli")
})
afterAll(async () => {
  await Promise.all(players.map((player) => player.stop()))
  await rm(folder, { recursive: true, force: true })
})

const newHome = (): string => join(folder, `home-${++homes}`)

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8)

/** A folder with a key, for a hub that is played. */
async function played(play: Play): Promise<{
  readonly home: string
  readonly player: Player
  readonly run: (args: ReadonlyArray<string>, options?: RunOptions) => Promise<Ran>
}> {
  const player = await startPlayer(play)
  players.push(player)
  const home = newHome()
  const run = (args: ReadonlyArray<string>, options: RunOptions = {}) =>
    runCli([...args, "--hub", player.url, "--home", home], options)
  expect(await run(["init"])).toMatchObject({ status: 0 })
  return { home, player, run }
}

describe("init", () => {
  test("makes a key for its owner alone, and says who that is", async () => {
    const home = newHome()
    const { status, out, errors } = await runCli(["init", "--hub", NOBODY, "--home", home])
    expect([status, errors]).toEqual([0, ""])
    const seed = await readFile(join(home, "key"), "utf8")
    const key = await keyFromSeed(seed)
    expect(out).toContain(key.publicKey)
    expect(out).toContain(key.hubId)
    expect(out).not.toContain(seed.trim())
    expect([await modeOf(home), await modeOf(join(home, "key")), await modeOf(join(home, "agent.json"))]).toEqual([
      "700",
      "600",
      "600"
    ])
    expect(await readdir(home)).toEqual(["agent.json", "key"])
  })

  test("never replaces a key, also when many try at once", async () => {
    const home = newHome()
    const all = await Promise.all([1, 2, 3].map(() => runCli(["init", "--hub", NOBODY, "--home", home, "--json"])))
    expect(all.map(({ status }) => status).toSorted()).toEqual([0, 1, 1])
    const kept = (await keyFromSeed(await readFile(join(home, "key"), "utf8"))).publicKey
    expect(JSON.parse(all.find(({ status }) => status === 0)?.out ?? "")).toMatchObject({ public_key: kept })
    expect(all.filter(({ status }) => status === 1).map(({ errors }) => JSON.parse(errors))).toEqual(
      [1, 2].map(() => ({ error: expect.objectContaining({ code: "file_exists" }) }))
    )
  })

  test("stays out of a folder that others may write to", async () => {
    const home = newHome()
    await mkdir(home)
    await chmod(home, 0o777)
    expect(await runCli(["init", "--hub", NOBODY, "--home", home])).toMatchObject({
      status: 1,
      errors: expect.stringMatching(/^hub-agent: folder_mode: .*chmod 700/)
    })
    expect(await readdir(home)).toEqual([])
  })
})

describe("the key file", () => {
  test.each([
    ["that everybody may read", 0o644, undefined, "file_mode"],
    ["that the group may write", 0o620, undefined, "file_mode"],
    ["that others may read", 0o604, undefined, "file_mode"],
    ["with another text", 0o600, "not a seed\n", "key_file_broken"],
    ["that is empty", 0o600, "", "key_file_broken"],
    ["that is too long", 0o600, "x".repeat(70_000), "file_unreadable"]
  ])("%s is not used", async (_what, mode, content, code) => {
    const { home, player, run } = await played((_, response) => data(response, {}))
    if (content !== undefined) await writeFile(join(home, "key"), content)
    await chmod(join(home, "key"), mode)
    const { status, errors, out } = await run(["whoami"])
    expect([status, out]).toEqual([1, ""])
    expect(errors).toMatch(new RegExp(`^hub-agent: ${code}: .*\n$`))
    expect(player.asked).toEqual([])
  })

  test("that is missing is asked for", async () => {
    expect(await runCli(["whoami", "--hub", NOBODY, "--home", newHome()])).toMatchObject({
      status: 1,
      errors: expect.stringMatching(/^hub-agent: no_key: .*hub-agent init\n$/)
    })
  })
})

describe("the folder", () => {
  test("is named by option, by environment, or by the hub", async () => {
    const found = async (options: { readonly hub?: string; readonly home?: string }, env: Record<string, string>) => {
      const { home, hub } = await openHome(options, env, "/somewhere")
      return [home.folder, hub]
    }
    const own = join(homedir(), ".hub-agent")
    expect(await found({ hub: "https://hub.example/" }, {})).toEqual([join(own, "hub.example"), "https://hub.example"])
    expect(await found({}, { HUB_URL: "http://127.0.0.1:8080/sub/../x" })).toEqual([
      join(own, "127.0.0.1_8080_x"),
      "http://127.0.0.1:8080/sub/../x"
    ])
    expect(await found({ home: "here" }, { HUB_AGENT_HOME: "/there", HUB_URL: "https://hub.example" })).toEqual([
      "/somewhere/here",
      "https://hub.example"
    ])
    expect(
      await found({ hub: "https://one.example" }, { HUB_AGENT_HOME: "/there", HUB_URL: "https://two.example" })
    ).toEqual(["/there", "https://one.example"])
    await expect(found({}, {})).rejects.toMatchObject({ code: "usage", status: 2 })
    await expect(found({ home: "/nowhere-at-all" }, {})).rejects.toMatchObject({ code: "usage" })
  })

  test("remembers its hub, and is for no other", async () => {
    const { home, player } = await played((_, response) => data(response, { handle: "ada" }))
    expect(await runCli(["get", "/me"], { env: { HUB_AGENT_HOME: home } })).toMatchObject({ status: 0 })
    expect(player.asked).toHaveLength(1)
    expect(await runCli(["get", "/me", "--home", home, "--hub", NOBODY])).toMatchObject({
      status: 1,
      errors: expect.stringContaining("other_hub")
    })
  })
})

describe("the command line", () => {
  test.each([
    ["nonsense", "no command nonsense"],
    ["whoami now", "whoami takes no now"],
    ["init --force", "--force"],
    ["get", "hub-agent get <path>"],
    ["get /me {}", "hub-agent get <path>"],
    ["get me", "starts with /"],
    ["post /me {oops", "is no JSON"],
    ["register --name Ada", "--handle"],
    ["register --handle ada --name Ada --link x", "<label>=<url>"],
    ["register --handle ada --name Ada --attempts 0", "--attempts"],
    ["recovery", "one of set, show, off, cancel, run"],
    ["recovery set it", "one of"],
    ["recovery run", "--agent"],
    ["prove", "address"],
    ["prove a b", "address"],
    ["verify-webhook", "body"],
    ["whoami --hub", "--hub"],
    ["whoami --hub nowhere", "http or https address"],
    ["get /../x --unsigned --hub http://127.0.0.1:9", "leads out"]
  ])("%s: status 2 and one line", async (line, words) => {
    const { status, out, errors } = await runCli(line.split(" "), {
      env: { HUB_AGENT_HOME: join(folder, "none"), ...(line.includes("--hub") ? {} : { HUB_URL: NOBODY }) }
    })
    expect([status, out]).toEqual([2, ""])
    expect(errors).toMatch(/^hub-agent: (usage|invalid_argument): [^\n]*\n$/)
    expect(errors).toContain(words)
  })

  test.each([["--help"], ["-h"], ["help"], ["rotate --help"], ["--version"]])("%s: status 0", async (line) => {
    const { status, out, errors } = await runCli(line.split(" "))
    expect([status, errors]).toEqual([0, ""])
    expect(out).toMatch(line === "--version" ? /^\d+\.\d+\.\d+\n$/ : /hub-agent rotate/)
  })
})

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
