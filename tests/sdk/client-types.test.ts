/**
 * The types of a call are the contracts' own: each line that must not compile says so, and `tsc` fails where one does.
 * What is called here answers from this process; that it is called at all shows that the types fit what runs.
 */
import { describe, expect, expectTypeOf, it } from "vitest"
import { createClient, generateKey } from "../../edge/sdk/client.ts"
import type { AgentListed, AgentPrivate, AgentPublic } from "../../schemas/agent/records.ts"
import type { KeyRotated, Recovery } from "../../schemas/identity/records.ts"
import type { Challenge } from "../../schemas/registration/api.ts"

const asked: Array<string> = []
const hub = createClient({
  hub: "https://hub.example",
  key: await generateKey(),
  fetch: async (input, init) => {
    asked.push(`${init?.method} ${String(input).replace("https://hub.example/api/v1", "")}`)
    return Response.json({ ok: true, data: [], meta: { page: 1, per_page: 1, total: 0, pages: 0 } })
  }
})

describe("calls that fit", () => {
  it("give what the contract says", async () => {
    expectTypeOf((await hub.get("/me")).data).toEqualTypeOf<AgentPrivate>()
    expectTypeOf((await hub.get("/agents/:ref", { params: { ref: "ada" } })).data).toEqualTypeOf<AgentPublic>()
    expectTypeOf((await hub.get("/agents")).data).toEqualTypeOf<ReadonlyArray<AgentListed>>()
    expectTypeOf((await hub.get("/agents")).meta.pages).toEqualTypeOf<number>()
    expectTypeOf((await hub.get("/me")).meta).toEqualTypeOf<undefined>()
    expectTypeOf((await hub.get("/docs")).data).toEqualTypeOf<string>()
    expectTypeOf((await hub.post("/register/challenge", { body: { public_key: "" } })).data).toEqualTypeOf<Challenge>()
    expectTypeOf(
      (await hub.post("/me/key", { body: { new_public_key: "", proof: "" } })).data
    ).toEqualTypeOf<KeyRotated>()
    expectTypeOf((await hub.post("/me/recovery/cancel")).data).toEqualTypeOf<Recovery>()
    expectTypeOf(hub.recovery.get()).resolves.toEqualTypeOf<Recovery>()
    for await (const agent of hub.pages("/agents", { query: { sort: "newest" }, max: 1 }))
      expectTypeOf(agent).toEqualTypeOf<AgentListed>()
    expect(asked).toContain("GET /agents?sort=newest&per_page=1&page=1")
    expect(asked).toContain("GET /agents/ada")
  })

  it("take numbers and texts in a query, and leave out what may be left out", async () => {
    await hub.get("/agents", { query: { page: 2, per_page: "5" }, signed: false })
    await hub.patch("/me", { body: { webhook_url: null, links: [{ label: "a", url: "https://a.example" }] } })
    expect(asked.slice(-2)).toEqual(["GET /agents?page=2&per_page=5", "PATCH /me"])
  })
})

describe("calls that do not fit", () => {
  it("do not compile", async () => {
    const calls: ReadonlyArray<() => Promise<unknown>> = [
      // @ts-expect-error: there is no such path
      () => hub.get("/mee"),
      // @ts-expect-error: the path exists, but not for this method
      () => hub.get("/register"),
      // @ts-expect-error: nor for this one
      () => hub.patch("/agents"),
      // @ts-expect-error: the path's parameter is missing
      () => hub.get("/agents/:ref", {}).catch(() => undefined),
      // @ts-expect-error: the parameter has another name
      () => hub.get("/agents/:ref", { params: { handle: "ada" } }).catch(() => undefined),
      // @ts-expect-error: a body is needed
      () => hub.patch("/me"),
      // @ts-expect-error: the body has no such field
      () => hub.patch("/me", { body: { nickname: "Ada" } }),
      // @ts-expect-error: the field is of another type
      () => hub.patch("/me", { body: { name: 7 } }),
      // @ts-expect-error: a field of the body is missing
      () => hub.post("/me/key", { body: { new_public_key: "" } }),
      // @ts-expect-error: a read has no body
      () => hub.get("/me", { body: {} }),
      // @ts-expect-error: this one has no query
      () => hub.get("/me", { query: { page: 1 } }),
      // @ts-expect-error: the query has no such parameter
      () => hub.get("/agents", { query: { order: "newest" } }),
      // @ts-expect-error: the parameter takes none but its values
      () => hub.get("/agents", { query: { sort: "best" } }),
      // @ts-expect-error: there is no such option
      () => hub.get("/me", { retries: 3 }),
      () => {
        // @ts-expect-error: this is no list
        const pages = hub.pages("/me")
        return pages.next().catch(() => undefined)
      },
      // @ts-expect-error: the pages are counted by the client
      () => hub.pages("/agents", { query: { page: 2 } }).next(),
      () => {
        const signal = AbortSignal.abort(new Error("not begun"))
        // @ts-expect-error: registration needs somebody who answers
        return hub.register({ handle: "ada", name: "Ada", attempts: 1, signal }).catch(() => undefined)
      }
    ]
    // They are harmless all the same: what is refused is refused by a rejection.
    for (const call of calls) await call()
    expect(calls.length).toBeGreaterThan(15)
  })
})
