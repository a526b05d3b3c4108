/** A new service begins with a library; what its operators made of it since stays as it is. */
import { readdir } from "node:fs/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { fillLibrary, type Serving, STARTER_LIBRARY } from "../../ops/launcher/starter-library.ts"
import { waitFor } from "../harness/index.ts"
import { send } from "../support/http.ts"
import { operate } from "../support/hub.ts"
import { type TestService, testService } from "../support/service.ts"

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service?.stop())

const serving = (more: Partial<Serving> = {}): Serving => ({
  edges: service.edges.map((url) => ({ url })),
  actors: service.system.actors,
  nats: { operatorUrl: service.system.nats.url },
  postgres: { url: service.system.postgres.url },
  ...more
})

const fill = async (more: Partial<Serving> = {}): Promise<ReadonlyArray<string>> => {
  const said: Array<string> = []
  await fillLibrary(serving(more), (line) => said.push(line))
  return said
}

const total = async (): Promise<number | undefined> =>
  (await send({ edge: service.edges[0] ?? "", method: "GET", path: "/api/v1/library" })).json.meta?.total

test("a part of a service is left alone, and one that cannot be filled is told of", async () => {
  expect(await fill({ edges: [] })).toEqual([])
  expect(await fill({ actors: [] })).toEqual([])
  const [said] = await fill({ edges: [{ url: "http://127.0.0.1:1" }] })
  expect(said).toMatch(/^the library could not be filled: .*; do it by npm run hub -- library import ops\/library$/)
  expect(await total()).toBe(0)
})

test("it is filled once, and never again, not even where it was emptied", async () => {
  const files = await readdir(STARTER_LIBRARY)
  expect(await fill()).toEqual([`the library has ${files.length} entries now`])
  // The read models may be a moment behind (service.projected_wait_ms).
  await waitFor(async () => (await total()) === files.length, { describe: "the entries to be shown" })
  expect(await fill()).toEqual([])
  for (const file of files) await operate(service.system, ["library", "remove", file.replace(/\.md$/, "")])
  await waitFor(async () => (await total()) === 0, { describe: "the last of them to be gone" })
  expect(await fill()).toEqual([])
  expect(await total()).toBe(0)
})
