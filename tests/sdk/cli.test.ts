/** `hub-agent` by itself: its files and its command line; against hubs that are played. */
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { generateKey, keyFromSeed } from "../../edge/sdk/client.ts"
import { openHome } from "../../edge/sdk/cli/home.ts"
import { runCli, runHere } from "./support/cli.ts"
import { data } from "./support/player.ts"
import { NOBODY, folder, openFolder, closeFolder, newHome, modeOf, played } from "./support/home.ts"

beforeAll(openFolder)
afterAll(closeFolder)

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

describe("a key that is given", () => {
  const given = generateKey()

  test("signs where the folder has none, and is written nowhere", async () => {
    const { player } = await played((_, response) => data(response, { handle: "ada" }))
    const [home, key] = [newHome(), await given]
    const env = { HUB_KEY: key.exportSeed(), HUB_AGENT_HOME: home, HUB_URL: player.url }
    expect(await runCli(["call", "get", "/me"], { env })).toMatchObject({ status: 0, errors: "" })
    expect(player.asked[0]?.headers["x-hub-key"]).toBe(key.publicKey)
    await expect(readFile(join(home, "key"))).rejects.toMatchObject({ code: "ENOENT" })
  })

  test("stands behind the folder's own", async () => {
    const { home, player } = await played((_, response) => data(response, {}))
    const own = (await keyFromSeed(await readFile(join(home, "key"), "utf8"))).publicKey
    const env = { HUB_KEY: (await given).exportSeed(), HUB_AGENT_HOME: home }
    expect(await runCli(["call", "get", "/me"], { env })).toMatchObject({ status: 0 })
    expect(player.asked[0]?.headers["x-hub-key"]).toBe(own)
  })

  test("that is broken is not used, nor shown", async () => {
    const ran = await runCli(["whoami"], { env: { HUB_KEY: "c2hvcnQ", HUB_URL: NOBODY, HUB_AGENT_HOME: newHome() } })
    expect(ran).toMatchObject({ status: 1, out: "", errors: expect.stringMatching(/^hub-agent: key_given_broken: /) })
    expect(ran.errors).not.toContain("c2hvcnQ")
  })

  test("is not put aside by another that is made", async () => {
    const home = newHome()
    const env = { HUB_KEY: (await given).exportSeed() }
    expect(await runCli(["init", "--hub", NOBODY, "--home", home], { env })).toMatchObject({
      status: 1,
      errors: expect.stringMatching(/^hub-agent: key_given: .*unset it/)
    })
    await expect(readdir(home)).rejects.toMatchObject({ code: "ENOENT" })
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
    expect(await runCli(["call", "get", "/me"], { env: { HUB_AGENT_HOME: home } })).toMatchObject({ status: 0 })
    expect(player.asked).toHaveLength(1)
    expect(await runCli(["call", "get", "/me", "--home", home, "--hub", NOBODY])).toMatchObject({
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
    ["call", "hub-agent call <method> <path>"],
    ["call get", "hub-agent call <method> <path>"],
    ["call post /me {} {}", "hub-agent call <method> <path>"],
    ["call head /me", "one of GET, POST"],
    ["call get /me {}", "has no body"],
    ["call get /me --idempotency-key mine", "has no body"],
    ["call get me", "starts with /"],
    ["call post /me {oops", "is no JSON"],
    ["register --name Ada", "--handle"],
    ["register --handle ada --name Ada --link x", "<label>=<url>"],
    ["register --handle ada --name Ada --attempts 0", "--attempts"],
    ["recovery", "one of set, show, off, cancel, run"],
    ["recovery set it", "recovery set takes no it"],
    ["recovery run", "--agent"],
    ["post", "one of publish, edit, delete, show, list"],
    ["post hide 12", "one of publish"],
    ["post publish Title", "needs <body|@file|->"],
    ["post show twelve", "twelve is no number of a post"],
    ["post publish Title body --kind poem", "--kind takes one of article, note"],
    ["post publish Title body --data {", "is no JSON"],
    ["post edit 12", "--title"],
    ["thread status 12 solved", "one of open, closed, locked"],
    ["reply 12", "needs <body|@file|->"],
    ["vote up file 12", "one of post, thread, reply"],
    ["report post 12 dull", "one of spam"],
    ["file download 12", "--output"],
    ["notifications read", "--all"],
    ["notifications read --all 12", "--all"],
    ["search", "needs <words>..."],
    ["prove", "needs <url>"],
    ["prove a b", "prove takes no b"],
    ["verify-webhook", "needs <body|@file|->"],
    ["whoami --hub", "--hub"],
    ["whoami --hub nowhere", "http or https address"],
    ["call get /../x --unsigned --hub http://127.0.0.1:9", "leads out"]
  ])("%s: status 2 and one line", async (line, words) => {
    const { status, out, errors } = await runCli(line.split(" "), {
      env: { HUB_AGENT_HOME: join(folder, "none"), ...(line.includes("--hub") ? {} : { HUB_URL: NOBODY }) }
    })
    expect([status, out]).toEqual([2, ""])
    expect(errors).toMatch(/^hub-agent: (usage|invalid_argument): [^\n]*\n$/)
    expect(errors).toContain(words)
  })

  test.each([
    [["hxs_aaaabbbbccccdddd"]],
    [["vault", "hxs_aaaabbbbccccdddd"]],
    [["vault", "revoke", "hxs_aaaabbbbccccdddd"]],
    [["vault", "source", "hxs_aaaabbbbccccdddd", "--label", "x"]],
    [["vault", "source", "--label", "x", "--kind", "hxv_aaaabbbbccccdddd"]],
    [["post", "show", "hxh_aaaabbbbccccdddd"]],
    [["post", "publish", "T", "@hxv_aaaabbbbccccdddd"]],
    [["call", "post", "/me", '{"password": aaaabbbbccccdddd}']],
    [["call", "post", "/me", '{"password":', "aaaabbbbccccdddd}"]],
    [["call", '{"password":"aaaabbbbccccdddd"}', "post", "/me"]],
    [["call", "post", '{"password":"aaaabbbbccccdddd"}']],
    [["call", "post", "/me", '--{"password":"aaaabbbbccccdddd"}']],
    [["call", "post", "/me", "@secret.json"]]
  ])("%j is refused, and its secret is not repeated", async (args) => {
    const home = newHome()
    await mkdir(home, { recursive: true })
    await writeFile(join(home, "secret.json"), '{"password": aaaabbbbccccdddd}')
    for (const more of [[], ["--json"]]) {
      const { status, out, errors } = await runCli([...args, ...more], { env: { HUB_URL: NOBODY }, cwd: home })
      expect([status === 0, out]).toEqual([false, ""])
      expect(errors).not.toBe("")
      expect(errors).not.toContain("aaaa")
    }
  })

  test.each([["-h"], ["--help"], ["--version"]])("a message whose text is %s is not taken for sent", async (text) => {
    for (const args of [
      ["message", "ada", text],
      ["reply", "5", text],
      ["message", text, "hello"],
      ["ask-owner", "a", text]
    ]) {
      const { status, out, errors } = await runCli(args, { env: { HUB_URL: NOBODY } })
      expect([status, out]).toEqual([2, ""])
      expect(errors).toMatch(/stands alone/)
    }
  })

  test("-h and --help behind any command explain it, and ask nothing of the hub", async () => {
    const { home, player } = await played((_, response) => data(response, null))
    const env = { HUB_URL: player.url, HUB_AGENT_HOME: home }
    const lines = (await runHere(["--help"])).out
      .split("\n")
      .flatMap((line) => /^  hub-agent (.*)/.exec(line)?.[1] ?? [])
    const names = new Set(lines.map((line) => /^[a-z][a-z-]*(?: [a-z][a-z-]*)?(?= |$)/.exec(line)?.[0] ?? line))
    expect(names.size).toBeGreaterThan(60)
    for (const name of names)
      for (const help of ["-h", "--help"]) {
        const { status, out, errors } = await runHere([...name.split(" "), help], { env })
        expect([name, status, errors]).toEqual([name, 0, ""])
        expect(out).toContain(`hub-agent ${name}`)
        const others = await runHere([...name.split(" "), "--json", help], { env })
        expect([name, others.status, others.out]).toEqual([name, 2, ""])
      }
    expect(player.asked).toEqual([])
  })

  test.each([["--help"], ["-h"], ["help"], ["rotate --help"], ["--version"]])("%s: status 0", async (line) => {
    const { status, out, errors } = await runCli(line.split(" "))
    expect([status, errors]).toEqual([0, ""])
    expect(out).toMatch(line === "--version" ? /^\d+\.\d+\.\d+\n$/ : /hub-agent rotate/)
  })
})
