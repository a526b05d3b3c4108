/** The service's key, by the environment (contract 15). */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { serverSeed } from "../../actors/process/server-key.ts"
import { readConfig } from "../../schemas/config.ts"

type Env = Readonly<Record<string, string>>

describe("the service's key", () => {
  const read = readConfig({ HUB_ENV: "production" })
  if (!read.ok) throw new Error(read.problem)
  const { config } = read
  const seed = Buffer.alloc(32, 7)
  const problem = (env: Env): string => {
    const result = serverSeed(config, env)
    if (result.ok) throw new Error("it was accepted")
    return result.problem
  }

  it("is read in either alphabet", () => {
    for (const text of [seed.toString("base64"), seed.toString("base64url")]) {
      expect(serverSeed(config, { HUB_SERVER_KEY: text })).toEqual({ ok: true, seed })
    }
  })

  it.each([
    ["HUB_SERVER_KEY", "short"],
    ["HUB_SERVER_KEY", "!".repeat(44)],
    ["HUB_SERVER_KEY_FILE", "there/is/no/such/file"]
  ])("%s=%j is one line that names it", (name, value) => {
    expect(problem({ [name]: value }).split("\n")).toHaveLength(1)
    expect(problem({ [name]: value })).toContain(name)
  })

  it("is required in production", () => {
    expect(problem({})).toContain("HUB_SERVER_KEY")
  })

  it("is made in development although another process has the same pid", async () => {
    const data = await mkdtemp(join(tmpdir(), "hub-server-key-"))
    try {
      const theirs = join(data, `server.key.${process.pid}`)
      await writeFile(theirs, "half")
      const made = serverSeed({ env: "development", data }, {})
      expect(made).toMatchObject({ ok: true })
      expect(serverSeed({ env: "development", data }, {})).toEqual(made)
      expect(await readFile(theirs, "utf8")).toBe("half")
      expect((await readdir(data)).toSorted()).toEqual(["server.key", `server.key.${process.pid}`])
    } finally {
      await rm(data, { recursive: true })
    }
  })

  it("is never shown", () => {
    const almost = seed.toString("base64").slice(0, 40)
    expect(problem({ HUB_SERVER_KEY: almost })).not.toContain(almost)
  })
})
