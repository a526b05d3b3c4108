/** Connections that ask for nothing keep no operator from the console. Over real sockets. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { waitFor } from "../harness/index.ts"
import { framed, FRAMINGS } from "../support/framings.ts"
import { HALVES, HalfOpen } from "../support/half-open.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { GIVES_WAY_WITHIN_MS, leaveUnread, statusOf } from "../support/unread.ts"
import { bare, startConsole, type TestConsole } from "./desk.ts"

const MORE_THAN_PLACES = 130
const PLACES_OF_ONE = 64
/** More than buffers hold. */
const UNREAD_BYTES = 160_000
const ADDRESSES = ["127.0.0.2", "127.0.0.3", "127.0.0.4"]

let service: TestService
let desk: TestConsole
let half: HalfOpen
beforeAll(async () => {
  service = await sharedService()
  desk = await startConsole(service)
  half = new HalfOpen(Number(new URL(desk.url).port))
})
afterEach(() => half.end())
afterAll(async () => {
  await desk?.stop()
  await service?.stop()
})

test.each(["head", "body"] as const)("130 of one address that never end their %s", async (part) => {
  await half.open(MORE_THAN_PLACES, HALVES[part])
  expect((await bare(desk.url, "/login")).status).toBe(200)
  expect(half.alive).toBeGreaterThan(0)
})

test("from several addresses", async () => {
  for (const address of ADDRESSES) await half.open(MORE_THAN_PLACES, HALVES.head, address)
  for (let n = 0; n < 5; n++) expect((await bare(desk.url, "/login")).status).toBe(200)
})

test("that take no byte of their answers give way", async () => {
  const { text } = await bare(desk.url, "/login")
  const end = await leaveUnread({
    port: Number(new URL(desk.url).port),
    each: PLACES_OF_ONE,
    from: ADDRESSES.slice(0, 2),
    path: "/login",
    times: Math.ceil(UNREAD_BYTES / text.length)
  })
  try {
    await waitFor(async () => (await statusOf(`${desk.url}/login`)) === 200, {
      deadlineMs: GIVES_WAY_WITHIN_MS,
      describe: "a place for an operator"
    })
  } finally {
    await end()
  }
})

test.each(FRAMINGS)("a request %s is refused, and ends its connection", async (framing) => {
  expect(await framed(Number(new URL(desk.url).port), framing, { path: "/login" })).toEqual([400])
})
