/** Live pages: patches, the bounds of streams, and questions that are asked only while somebody follows. */
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { clusterSource } from "../../ops/console/cluster/source.ts"
import { History } from "../../ops/console/cluster/history.ts"
import { Jobs } from "../../ops/console/cluster/jobs.ts"
import { Live, STREAMS_MAX } from "../../ops/console/live.ts"
import type { ConsoleParts } from "../../ops/console/parts.ts"
import { type Json, type Operation, patchOf } from "../../ops/console/patch.ts"
import { machineClock } from "../../schemas/runtime/clock.ts"
import { standingClock } from "../harness/clock.ts"
import { waitFor } from "../harness/index.ts"
import { sharedService, type TestService } from "../support/service.ts"
import { OperatorClient, startConsole, type TestConsole } from "./desk.ts"

const SCRIPT: string = new URL("../../ops/console/script/live.js", import.meta.url).href

describe("a patch", () => {
  test("makes of what was there what there is, in a browser too", async () => {
    const { patched } = (await import(SCRIPT)) as { patched: (value: Json, patch: ReadonlyArray<Operation>) => Json }
    const json = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom(null, true, 1, 2, "a", "b/c", "~"),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(fc.constantFrom("a", "b/c", "~d", "0", "-"), tie("value"), { maxKeys: 4, noNullPrototype: true })
      )
    })).value
    fc.assert(
      fc.property(json, json, (before, now) => {
        const patch = patchOf(before, now)
        expect(patched(structuredClone(before), structuredClone(patch))).toEqual(now)
        expect(patchOf(now, now)).toEqual([])
      })
    )
  })

  test("of one changed shard is one operation", () => {
    expect(patchOf({ shards: ["a", "a"], at: 1 }, { shards: ["a", null], at: 1 })).toEqual([
      { op: "replace", path: "/shards/1", value: null }
    ])
  })
})

describe("a stream", () => {
  test("whose reader is too far behind is ended", async () => {
    const live = new Live(machineClock)
    let publish: (snapshot: Json) => void = () => undefined
    let isFollowed = false
    const source = (told: (snapshot: Json) => void) => {
      publish = told
      isFollowed = true
      return () => void (isFollowed = false)
    }
    const server: Server = createServer((_request: IncomingMessage, response: ServerResponse) =>
      live.follow("/", source, response, {}, async () => true)
    )
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const answer = await new Promise<IncomingMessage>((resolve) => get({ port, host: "127.0.0.1" }, resolve))
    // Nobody reads it: what is told fills the buffers of both sides, and then the backlog.
    answer.on("error", () => undefined)
    let turn = 0
    await waitFor(() => {
      for (let more = 0; more < 50; more++) publish({ text: String(turn++).repeat(10_000) })
      return !isFollowed
    })
    expect(live.isFull).toBe(false)
    answer.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
})

describe("beside a system", () => {
  let service: TestService
  let desk: TestConsole
  beforeAll(async () => {
    service = await sharedService()
    desk = await startConsole(service)
  })
  afterAll(async () => {
    await desk?.stop()
    await service?.stop()
  })

  /** Resolves with the head of the answer; `heard` grows. */
  const following = (client: OperatorClient) => {
    const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const heard: Array<string> = []
    return new Promise<{ answer: IncomingMessage; heard: ReadonlyArray<string> }>((resolve, reject) => {
      get(`${desk.url}/events?page=${encodeURIComponent("/")}`, { headers: { cookie } }, (answer) => {
        answer.setEncoding("utf8")
        answer.on("data", (text: string) => heard.push(text))
        answer.on("error", () => undefined)
        resolve({ answer, heard })
      }).on("error", reject)
    })
  }

  test("so many follow at once and no more, and each begins with a snapshot", async () => {
    const client = new OperatorClient(desk.url)
    await client.enterBy(await desk.link())
    const open: Array<Awaited<ReturnType<typeof following>>> = []
    for (let one = 0; one < STREAMS_MAX; one++) open.push(await following(client))
    expect(open.map(({ answer }) => answer.statusCode)).toEqual(open.map(() => 200))
    const refused = await following(client)
    expect([refused.answer.statusCode, refused.answer.headers["retry-after"]]).toEqual([503, "5"])
    await waitFor(() => open.every(({ heard }) => /event: snapshot\ndata: .*"shards"/.test(heard.join(""))))
    // The verdict comes with the first look.
    await waitFor(() => open.every(({ heard }) => heard.join("").includes('"status":"healthy"')))
    open[0]?.answer.destroy()
    await waitFor(async () => {
      const next = await following(client)
      open.push(next)
      return next.answer.statusCode === 200
    })
    for (const { answer } of open) answer.destroy()
  })

  test("the cluster is looked at every two seconds, and not while nobody follows", async () => {
    const clock = standingClock()
    let looks = 0
    const { view } = service
    const counting = {
      ...view,
      get nats() {
        return view.nats
      },
      db: view.db,
      manager: new Proxy(view.manager, {
        get: (target, name) => {
          if (name === "streams")
            return new Proxy(target.streams, {
              get: (streams, method) => {
                if (method === "info") looks++
                const found: unknown = Reflect.get(streams, method)
                return typeof found === "function" ? found.bind(streams) : found
              }
            })
          const found: unknown = Reflect.get(target, name)
          return typeof found === "function" ? found.bind(target) : found
        }
      })
    }
    const source = clusterSource({
      clock,
      service: counting,
      history: new History(),
      jobs: new Jobs(clock)
    } as unknown as ConsoleParts)
    let seen: Array<string | null> = []
    const heard = (snapshot: Json) => void seen.push((snapshot as { seen_at: string | null }).seen_at)
    const end = source(heard)
    await waitFor(() => seen.at(-1) !== null && seen.length >= 2)
    const ofOne = looks
    expect(ofOne).toBeGreaterThan(0)
    await clock.pass(1999)
    expect(looks).toBe(ofOne)
    await clock.pass(1)
    await waitFor(() => looks === 2 * ofOne)
    end()
    // Whoever comes back at once waits for the same two seconds.
    seen = []
    const again = source(heard)
    await clock.pass(1000)
    expect(looks).toBe(2 * ofOne)
    again()
    await clock.pass(60_000)
    expect(looks).toBe(2 * ofOne)
  })
})

test("a console that gives no links answers none", async () => {
  const service = await sharedService()
  const desk = await startConsole(service, { HUB_CONSOLE_LINKS: "false" })
  try {
    await expect(desk.link()).rejects.toThrow("HUB_CONSOLE_LINKS=true")
  } finally {
    await desk.stop()
    await service.stop()
  }
})
