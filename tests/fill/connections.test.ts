/** Connections that ask for nothing keep no agent from its fill service. Over real sockets. */
import { afterEach, expect, test } from "vitest"
import { type LocalServer, serve } from "../../edge/fill/server.ts"
import { HALVES, HalfOpen } from "../support/half-open.ts"

const MORE_THAN_PLACES = 40

let server: LocalServer | undefined
let half: HalfOpen | undefined
afterEach(async () => {
  half?.end()
  await server?.stop()
})

test.each(["head", "body"] as const)("more than there are places, that never end their %s", async (part) => {
  const users = [process.getuid?.() ?? 0]
  server = await serve({ port: 0, users }, { "/state": { method: "GET", run: () => Promise.resolve({ there: true }) } })
  half = new HalfOpen(Number(new URL(server.url).port))
  await half.open(MORE_THAN_PLACES, HALVES[part])
  const answer = await fetch(`${server.url}/state`, { headers: { "x-hub-vault": "1" } })
  expect([answer.status, await answer.json()]).toEqual([200, { there: true }])
})
