import { existsSync, readdirSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import { join } from "node:path"
import { afterEach, describe, expect, test } from "vitest"
import { drawPort } from "../../ops/launcher/ports.ts"
import { testFolder } from "../harness/index.ts"
import { endLaunchers, launch } from "./launcher.ts"
import type { Launcher } from "./launcher.ts"

afterEach(endLaunchers)

/** Nodes start side by side with what may be refused: how far they come is theirs. */
const OF_A_NODE = /^\[(?:actor|edge|keeper) \d+\] connects to /

/** The launcher ends with status 1 and this one line, and says nothing on standard output. */
async function expectRefusal(launcher: Launcher, line: string | RegExp): Promise<void> {
  const ended = await launcher.ended
  const lines = launcher.stderr
    .split("\n")
    .filter((text) => text !== "" && text !== "initialising Postgres" && !OF_A_NODE.test(text))
  expect(lines).toEqual([typeof line === "string" ? expect.stringContaining(line) : expect.stringMatching(line)])
  expect(ended).toMatchObject({ code: 1, signal: null })
  expect(launcher.stdout).toBe("")
}

describe("one line and status 1", () => {
  test("when another launcher uses the folder", async () => {
    const first = await (await launch()).ready()
    const second = await launch({ dataDir: first.dataDir })
    await expectRefusal(second, `in use by another launcher (pid ${first.process.pid}); stop that one or set HUB_DATA`)
    expect(first.process.exitCode).toBeNull()
    expect(existsSync(first.runFile)).toBe(true)
  })

  test("when a port is taken", async () => {
    const guest = createServer()
    // Drawn, not left to the system: the port before one of its own may be some connection's.
    const first = await drawPort()
    const port = first + 1
    await new Promise<void>((resolve, reject) => guest.once("error", reject).listen(port, "127.0.0.1", resolve))
    const launcher = await launch({ port: first, args: ["--edges", "2"] })
    await expectRefusal(launcher, `port ${port} is taken; stop the program that uses it or set HUB_PORT`)
    await new Promise((resolve) => guest.close(resolve))
    expect(readdirSync(launcher.dataDir)).toEqual(["version.json"])
  })

  test("when another version made the folder", async () => {
    const dataDir = await testFolder("version")
    await writeFile(join(dataDir, "version.json"), `{"layout":99,"postgres":18}`)
    const launcher = await launch({ dataDir })
    await expectRefusal(launcher, /was made by another version .*"layout":99.*; set HUB_DATA to another folder/)
    expect(readdirSync(dataDir)).toEqual(["version.json"])
  })

  test("when the folder cannot be made", async () => {
    const folder = await testFolder("unwritable")
    await writeFile(join(folder, "file"), "")
    const launcher = await launch({ dataDir: join(folder, "file", "data") })
    await expectRefusal(launcher, /the data folder .* cannot be written \(ENOTDIR\); make it writable or set HUB_DATA/)
  })

  test("when HUB_NATS_SERVER names something else", async () => {
    const launcher = await launch({ env: { HUB_NATS_SERVER: "/bin/true" } })
    await expectRefusal(launcher, "HUB_NATS_SERVER names /bin/true, which does not run as nats-server")
  })

  test("when HUB_DATABASE_URL leads nowhere, without its password", async () => {
    const url = `postgres://hub:secret-of-mine@127.0.0.1:${await drawPort()}/hub`
    const launcher = await launch({ env: { HUB_DATABASE_URL: url } })
    await expectRefusal(launcher, /the tables of Postgres could not be brought up to date: .*ECONNREFUSED/)
    expect(launcher.stderr).not.toContain("secret-of-mine")
  })

  test("when a setting is wrong, before anything starts", async () => {
    const launcher = await launch({ env: { HUB_PORT: "eighty" } })
    await expectRefusal(launcher, /HUB_PORT/)
    expect(readdirSync(launcher.dataDir)).toEqual([])
  })

  test.each([
    ["--edges", "none"],
    ["--actors", "many"],
    ["--actors", "33"]
  ])("when %s is %s", async (...args) => {
    await expectRefusal(await launch({ args }), `${args[0]} takes a number from 0 to 32, not "${args[1]}"`)
  })

  test("when an option is unknown", async () => {
    await expectRefusal(await launch({ args: ["--edgse", "2"] }), /--edgse.*usage: npm start/)
  })

  test("when a node refuses its configuration: the line is the node's own", async () => {
    const launcher = await launch({ env: { MISBEHAVE: "configuration" } })
    await expectRefusal(launcher, /^hub: HUB_SOMETHING must be a colour$/)
    expect(readdirSync(launcher.dataDir).toSorted()).toEqual(["nats", "postgres", "server.key", "version.json"])
  })
})

test("a node that crashes at the start is tried three times, then the start fails", async () => {
  const launcher = await launch({ env: { MISBEHAVE: "actor crashes" } })
  expect((await launcher.ended).code).toBe(1)
  const tries = launcher.stderr.match(/actor 1 \(pid \d+\) ended before it was ready, exit code 3/g)
  expect(tries).toHaveLength(3)
  expect(launcher.stderr.trimEnd().split("\n").at(-1)).toMatch(/^hub: actor 1 /)
})
