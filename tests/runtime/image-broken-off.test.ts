/** The making of an image that does not come to its end: nothing of it stays that the next one does not remove. */
import { spawn } from "node:child_process"
import { readdir, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, describe, expect, test } from "vitest"
import { buildImage } from "../../ops/runtime/image.ts"
import { mountsBelow } from "../../ops/runtime/mounts.ts"
import { placesOf } from "../../ops/runtime/places.ts"
import { testFolder, waitFor } from "../harness/index.ts"
import { sharedEngine } from "./shared-engine.ts"

/** A name of its own: the shared engine has the image of the usual name. */
const env: NodeJS.ProcessEnv = { ...process.env, HUB_DOCKER_SOCKET: "", HUB_RUNTIME_IMAGE: "hub-test-broken-off:1" }
let dataDir = ""

afterEach(() => rm(dataDir, { recursive: true, force: true }))

describe("an image that is broken off", () => {
  const processesAt = async (folder: string): Promise<ReadonlyArray<string>> => {
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
    const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")))
    return lines.filter((line) => line.includes(folder))
  }

  test("leaves nothing where it was asked to end, and nothing that lasts where it was killed", async () => {
    dataDir = await testFolder("host")
    const { socket } = await sharedEngine()
    const folder = placesOf(dataDir).image
    const asked = new AbortController()
    const told = (line: string): void => {
      if (line.includes("downloading")) asked.abort()
    }
    const build = { socket, folder, env, small: true }
    await expect(buildImage({ ...build, progress: told, signal: asked.signal })).rejects.toThrow("interrupted")
    expect(await readdir(folder)).toEqual(["lock"])
    await waitFor(async () => (await processesAt(folder)).length === 0, { describe: "no process of it" })

    const program = `import { buildImage } from ${JSON.stringify(join(import.meta.dirname, "../../ops/runtime/image.ts"))}
      await buildImage({ ...${JSON.stringify({ socket, folder, small: true })}, env: process.env, progress: console.log })`
    const killed = spawn(process.execPath, ["--no-warnings", "--input-type=module", "--eval", program], { env })
    let words = ""
    for (const stream of [killed.stdout, killed.stderr]) stream.on("data", (chunk: Buffer) => (words += String(chunk)))
    const isDownloading = (): boolean => {
      if (words.includes("downloading") || killed.exitCode !== null) return true
      throw new Error(`it said so far: ${words}`)
    }
    await waitFor(isDownloading, { describe: "a download" })
    expect(words).toContain("downloading")
    expect((await processesAt(folder)).length).toBeGreaterThan(1)
    killed.kill("SIGKILL")
    await waitFor(async () => (await processesAt(folder)).length === 0, { describe: "no process of it" })
    expect((await readdir(folder)).length).toBe(2)
    expect(await mountsBelow(folder)).toEqual([])
    const soon = new AbortController()
    const next = { ...build, progress: () => soon.abort(), signal: soon.signal }
    await expect(buildImage(next)).rejects.toThrow("interrupted")
    expect(await readdir(folder)).toEqual(["lock"])
  })
})
