/** The page of walks names the files that a write and a read go through: each of them runs, and they are few. */
import { readFileSync } from "node:fs"
import { Session } from "node:inspector/promises"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, test } from "vitest"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { waitFor } from "../harness/index.ts"
import type { Answer } from "../support/http.ts"
import { helper, newAgents, opened, openThreads, reply, service } from "./threads.ts"

const [, write = "", read = ""] = readFileSync(join(projectRoot, "ops/docs/walks.md"), "utf8").split(/^## /m)
const filesOf = (section: string): ReadonlyArray<string> =>
  [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, file = ""]) => file)

let thread: number
let session: Session
beforeAll(async () => {
  await openThreads()
  await newAgents()
  thread = (await opened()).id
  session = new Session()
  session.connect()
  await session.post("Profiler.enable")
  await session.post("Profiler.startPreciseCoverage", { callCount: true })
})
afterAll(async () => {
  await session?.post("Profiler.stopPreciseCoverage")
  session?.disconnect()
  await service?.stop()
})

/** The files with a function that ran since it was last asked. */
const ran = async (): Promise<ReadonlyArray<string>> => {
  const { result } = await session.post("Profiler.takePreciseCoverage")
  return result
    .filter(
      ({ url, functions }) => url.startsWith("file:") && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
    )
    .map(({ url }) => relative(projectRoot, fileURLToPath(url)))
}

const walk = async (section: string, request: () => Promise<Answer>, status: number): Promise<void> => {
  const missing = new Set(filesOf(section))
  await ran()
  expect((await request()).status).toBe(status)
  // Reactions and read models follow the answer.
  await waitFor(
    async () => {
      for (const file of await ran()) missing.delete(file)
      return missing.size === 0
    },
    { describe: `the walk of ${section.split("\n", 1).join("")}` }
  )
  expect([...missing]).toEqual([])
}

test("a reply goes through at most 25 files that are worth a look", async () => {
  expect(filesOf(write).length).toBeLessThanOrEqual(25)
  await walk(write, () => reply(thread, { body: "a reply" }), 201)
})

test("a list of threads goes through at most 12", async () => {
  expect(filesOf(read).length).toBeLessThanOrEqual(12)
  await walk(read, () => helper.call("GET", "/api/v1/threads"), 200)
})
