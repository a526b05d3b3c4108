/** Answers that are given again: only where nothing has changed, to whom they may go, and within their bounds. */
import { Effect, Exit, Fiber } from "effect"
import fc from "fast-check"
import { expect, test } from "vitest"
import { Call } from "../../edge/http/call.ts"
import { Marks } from "../../edge/pipeline/marks.ts"
import type { Route } from "../../edge/http/handlers.ts"
import { Refused, refuse } from "../../edge/http/refused.ts"
import { docUrlsOf } from "../../edge/http/doc-urls.ts"
import { plain, type Response } from "../../edge/http/respond.ts"
import { Reused, REUSED_MAX_MS } from "../../edge/pipeline/reused.ts"
import { type Endpoint, ENDPOINTS } from "../../edge/http/endpoints.ts"
import { notFound } from "../../schemas/errors.ts"
import type { IncomingMessage } from "node:http"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { movableClock } from "../harness/clock.ts"

const [endpoint] = ENDPOINTS.filter(({ reused }) => reused)
if (endpoint === undefined) throw new Error("nothing is given again")
const { id } = endpoint

const INSTALLATION = { basePath: "", docUrls: docUrlsOf("https://hub.example") }

const asked = (url: string, headers: Readonly<Record<string, string>> = {}): Call => {
  const request = { method: "GET", url, headers } as Pick<IncomingMessage, "method" | "url" | "headers">
  return new Call(
    machineClock,
    "call",
    request as IncomingMessage,
    { client: "client", wide: null },
    INSTALLATION,
    0,
    10_000
  )
}

/** Tables of which each address shows the number, and how far they are. */
class Tables {
  version = 0
  made = 0
  again = 0
  now = 0
  route: Route = (call) => {
    this.made++
    return Effect.succeed(plain(`${call.target} ${this.version}`, "text/plain"))
  }
  readonly reused = new Reused(
    { current: () => Promise.resolve(String(this.version)) },
    { reused: (outcome) => void (this.again += Number(outcome === "again")) },
    () => this.now
  )
  private get routes(): ReadonlyMap<string, Route> {
    return this.reused.routes([endpoint as Endpoint], new Map([[id, (call, params) => this.route(call, params)]]))
  }
  answer(call: Call): Effect.Effect<Response, Refused> {
    const route = this.routes.get(id)
    if (route === undefined) throw new Error("there is no route")
    return route(call, {})
  }
  ask(call: Call): Promise<Response> {
    return Effect.runPromise(this.answer(call))
  }
}

const textOf = ({ body }: Response): string =>
  typeof body === "string" ? body : body instanceof Uint8Array ? Buffer.from(body).toString() : ""

test("whatever is asked and written in whatever order, nobody is shown what was", async () => {
  const step = fc.oneof(
    fc.constant("write" as const),
    fc.integer({ min: 0, max: REUSED_MAX_MS * 2 }),
    fc.constantFrom("/a", "/b?page=2", "/b")
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const tables = new Tables()
      for (const one of steps) {
        if (one === "write") tables.version++
        else if (typeof one === "number") tables.now += one
        else expect(textOf(await tables.ask(asked(one)))).toBe(`${one} ${tables.version}`)
      }
    })
  )
})

test("is made once while nothing changes, also for all who ask meanwhile, and anew once it is old", async () => {
  const tables = new Tables()
  const answers = await Promise.all(Array.from({ length: 20 }, () => tables.ask(asked("/a"))))
  expect([new Set(answers.map(textOf)).size, tables.made, tables.again]).toEqual([1, 1, 19])
  await tables.ask(asked("/b"))
  await tables.ask(asked("/a", { accept: "text/html" }))
  expect(tables.made).toBe(3)
  tables.now = REUSED_MAX_MS + 1
  await tables.ask(asked("/a"))
  expect(tables.made).toBe(4)
})

test("its tag is known again, and goes with what it stands for", async () => {
  const tables = new Tables()
  const call = asked("/a")
  await tables.ask(call)
  const etag = call.headers["etag"] ?? ""
  expect(etag).toMatch(/^"[\w-]{22}"$/)
  expect(call.headers["cache-control"]).toBe("no-cache")
  const again = asked("/a", { "if-none-match": etag })
  expect(await tables.ask(again)).toMatchObject({ status: 304, body: null })
  tables.version++
  expect(await tables.ask(asked("/a", { "if-none-match": etag }))).toMatchObject({ status: 200 })
})

test("what a handler added to the answer's head is given again, what others added is not", async () => {
  const tables = new Tables()
  tables.route = (call) => {
    call.headers["content-language"] = "en"
    return Effect.succeed(plain("x", "text/plain"))
  }
  const first = asked("/a")
  first.headers["hub-id-verified"] = "HX-000001"
  await tables.ask(first)
  expect((await tables.ask(asked("/a"))).headers).toMatchObject({ "content-language": "en" })
  expect(Object.keys((await tables.ask(asked("/a"))).headers)).not.toContain("hub-id-verified")
})

test("what is signed, and what is no 200, is made each time", async () => {
  const tables = new Tables()
  const signed = asked("/a")
  signed.ticket = { spent: true } as NonNullable<Call["ticket"]>
  await tables.ask(signed)
  await tables.ask(signed)
  expect([tables.made, signed.headers["etag"]]).toEqual([2, undefined])
  tables.route = () => Effect.suspend(() => (tables.made++, Effect.fail(refuse(notFound("thread")))))
  for (let count = 0; count < 2; count++)
    expect(Exit.isFailure(await Effect.runPromiseExit(tables.answer(asked("/a"))))).toBe(true)
  expect(tables.made).toBe(4)
})

test("an answer that lacks parts since its client has too many queries under way is made anew for others", async () => {
  const tables = new Tables()
  const whole = tables.route
  tables.route = (call, params) => {
    call.crowded = true
    return whole(call, params)
  }
  expect(textOf(await tables.ask(asked("/a")))).toBe("/a 0")
  tables.route = whole
  await tables.ask(asked("/a"))
  await tables.ask(asked("/a"))
  expect([tables.made, tables.again]).toEqual([2, 1])
})

test("a client that leaves while it makes one takes nobody with it", async () => {
  const tables = new Tables()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const make = tables.route
  tables.route = () => Effect.andThen(Effect.sync(begin), Effect.never)
  const first = Effect.runFork(tables.answer(asked("/a")))
  await begun
  tables.route = make
  const second = tables.ask(asked("/a"))
  await Effect.runPromise(Fiber.interrupt(first))
  expect(textOf(await second)).toBe("/a 0")
})

test("keeps no more than its bytes, and nothing that is very large", async () => {
  const tables = new Tables()
  const MEBI = 1024 * 1024
  tables.route = () => Effect.sync(() => (tables.made++, plain("x".repeat(3 * MEBI), "text/plain")))
  for (let count = 0; count < 40; count++) await tables.ask(asked(`/${count}`))
  await tables.ask(asked("/39"))
  expect(tables.made).toBe(40)
  await tables.ask(asked("/0"))
  expect(tables.made).toBe(41)
  tables.route = () => Effect.sync(() => (tables.made++, plain("x".repeat(5 * MEBI), "text/plain")))
  await tables.ask(asked("/large"))
  await tables.ask(asked("/large"))
  expect(tables.made).toBe(43)
})

test("how far the tables are is asked once for all who come meanwhile, and after each of them came", async () => {
  let [version, queries] = [0, 0]
  const marks = new Marks(machineClock, {
    query: () =>
      Effect.promise(async () => {
        queries++
        const seen = version
        await new Promise((resolve) => setImmediate(resolve))
        return String(seen) as never
      })
  })
  const first = marks.current()
  await new Promise((resolve) => setImmediate(resolve))
  version = 1
  const others = await Promise.all(Array.from({ length: 50 }, () => marks.current()))
  expect([await first, new Set(others), queries]).toEqual(["0", new Set(["1"]), 2])
})

test("a query that breaks, or does not come, ends nothing: nobody waits for the next, for a while", async () => {
  let queries = 0
  const clock = movableClock()
  const marks = new Marks(clock, {
    query: () => {
      queries++
      return queries === 1 ? Effect.die("cut off") : Effect.succeed("1" as never)
    }
  })
  expect(await marks.current()).toBeNull()
  expect([await marks.current(), queries]).toEqual([null, 1])
  clock.move(60_000)
  expect([await marks.current(), queries]).toEqual(["1", 2])
})
