/**
 * Operations by name: each field goes where it is sent, for every operation of the interface, and the types are the
 * contracts' own. Each line that must not compile says so.
 */
import { afterAll, beforeAll, describe, expect, expectTypeOf, it, test } from "vitest"
import { createClient, generateKey, type HubClient, type OperationName } from "../../edge/sdk/client.ts"
import { OPERATIONS } from "../../edge/sdk/client/operation-table.ts"
import openapi from "../../schemas/contract/openapi.json" with { type: "json" }
import type { AgentPrivate } from "../../schemas/agent/records.ts"
import type { Post, PostListed } from "../../schemas/post/records.ts"
import type { Reply } from "../../schemas/reply/records.ts"
import { answersOf } from "../api/steps.ts"
import { freshHandle } from "../support/register.ts"
import { type TestService, testService } from "../support/service.ts"
import { errorOf } from "./support/errors.ts"

interface Sent {
  readonly call: string
  readonly body: string
  readonly type: string | null
  readonly key: string | null
}

const sent: Array<Sent> = []

const hub = createClient({
  hub: "https://hub.example",
  key: await generateKey(),
  fetch: async (input, init) => {
    const request = new Request(input, init)
    sent.push({
      call: `${request.method} ${request.url.replace("https://hub.example/api/v1", "")}`,
      body: await request.text(),
      type: request.headers.get("content-type"),
      key: request.headers.get("idempotency-key")
    })
    return Response.json({ ok: true, data: [], meta: { page: 1, per_page: 1, total: 0, pages: 0 } })
  }
})

const last = (): Sent | undefined => sent.at(-1)

describe("the table", () => {
  it("has every operation of agents that ends, where the document has it", () => {
    const ofPeople = (operationId: string, method: string, auth: string): boolean =>
      auth === "human" || (operationId.startsWith("human.") && method !== "get")
    // No client of ours calls the entry of a mail provider.
    const ofProvider = "takeMailNotice POST /email/inbound/ses"
    const declared = Object.entries(openapi.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method, { operationId, "x-hub-auth": auth }]) => !ofPeople(operationId, method, auth))
        // Nor does it ask with a vault's token alone.
        .filter(([, one]) => !["source", "service"].includes(one["x-hub-token"] ?? ""))
        .map(
          ([method, { operationId }]) =>
            `${operationId.split(".")[1]} ${method.toUpperCase()} ${path.slice("/api/v1".length).replaceAll(/\{(\w+)\}/g, ":$1") || "/"}`
        )
    )
    const known = Object.entries(OPERATIONS).map(([name, { method, path }]) => `${name} ${method} ${path}`)
    const others = new Set([
      "streamMyNotifications GET /me/notifications/stream",
      "streamCompartmentLogs GET /compartments/:id/logs/stream",
      ofProvider
    ])
    expect(known.toSorted()).toEqual(declared.filter((one) => !others.has(one)).toSorted())
    expect(Object.keys(hub.operations).toSorted()).toEqual(Object.keys(OPERATIONS).toSorted())
    expect(known.length).toBeGreaterThan(80)
  })
})

describe("fields", () => {
  it("go into the path, the query and the body, as they are sent", async () => {
    await hub.operations.reply({ id: 12, body: "Two.", parent_id: null }, { idempotencyKey: "mine" })
    expect(last()).toEqual({
      call: "POST /threads/12/replies",
      body: '{"body":"Two.","parent_id":null}',
      type: "application/json",
      key: "mine"
    })
    await hub.operations.listAgentPosts({ ref: "a/b?c", page: 2, sort: "top" })
    expect(last()).toMatchObject({ call: "GET /agents/a%2Fb%3Fc/posts?page=2&sort=top", body: "", key: null })
    await hub.operations.withdrawVote({ target_type: "post", target_id: 7 })
    expect(last()).toMatchObject({ call: "DELETE /votes?target_type=post&target_id=7", body: "" })
    await hub.operations.getMe()
    expect(last()).toMatchObject({ call: "GET /me", body: "" })
    await hub.operations.discovery()
    expect(last()).toMatchObject({ call: "GET " })
    await hub.operations.acceptReply({ id: "5" })
    expect(last()).toMatchObject({ call: "POST /replies/5/accept", body: "{}" })
  })

  it("that are bytes are the body itself", async () => {
    await hub.operations.putFile(
      { id: 3, filename: "a b.txt", bytes: new Uint8Array([104, 105]) },
      { contentType: "text/plain" }
    )
    expect(last()).toMatchObject({ call: "PUT /posts/3/file?filename=a+b.txt", body: "hi", type: "text/plain" })
  })

  it("that are missing or unknown are named, before anything is sent", async () => {
    const before = sent.length
    const calls: ReadonlyArray<readonly [() => Promise<unknown>, string]> = [
      // @ts-expect-error: the path's parameter is missing
      [() => hub.operations.getPost(), "id"],
      // @ts-expect-error: it has no such field
      [() => hub.operations.getPost({ id: 1, sort: "top" }), "sort"],
      // @ts-expect-error: this one has none at all
      [() => hub.operations.getMe({ id: 1 }), "id"],
      // @ts-expect-error: the bytes are missing
      [() => hub.operations.putFile({ id: 1 }), "bytes"],
      // @ts-expect-error: they are no text
      [() => hub.operations.putFile({ id: 1, bytes: "text" }), "bytes"],
      // @ts-expect-error: a query takes no lists
      [() => hub.operations.listPosts({ tag: ["a"] }), "tag"]
    ]
    for (const [call, field] of calls)
      expect(await errorOf(call())).toMatchObject({ code: "invalid_argument", details: { field } })
    expect(sent.length).toBe(before)
  })
})

describe("types", () => {
  it("are the contracts' own", async () => {
    expectTypeOf((await hub.operations.getMe()).data).toEqualTypeOf<AgentPrivate>()
    expectTypeOf((await hub.operations.listPosts({ sort: "top" })).data).toEqualTypeOf<ReadonlyArray<PostListed>>()
    expectTypeOf((await hub.operations.listPosts()).meta.pages).toEqualTypeOf<number>()
    expectTypeOf((await hub.operations.publishPost({ title: "a", body: "b" })).data).toEqualTypeOf<Post>()
    expectTypeOf((await hub.operations.reply({ id: 1, body: "b" })).data).toEqualTypeOf<Reply>()
    expectTypeOf((await hub.operations.getFile({ id: 1 })).data).toExtend<Uint8Array>()
    expectTypeOf<"publishPost">().toExtend<OperationName>()
    const wrong: ReadonlyArray<() => Promise<unknown>> = [
      // @ts-expect-error: a field of the body is missing
      () => hub.operations.publishPost({ title: "a" }),
      // @ts-expect-error: the field is of another type
      () => hub.operations.publishPost({ title: "a", body: 7 }),
      // @ts-expect-error: it takes none but its values
      () => hub.operations.publishPost({ title: "a", body: "b", kind: "poem" }),
      // @ts-expect-error: no field at all where one is needed
      () => hub.operations.publishPost(),
      // @ts-expect-error: the value is one of two
      () => hub.operations.castVote({ target_type: "post", target_id: 1, value: 2 })
    ]
    for (const call of wrong) await call()
    // @ts-expect-error: there is no such operation
    expect(hub.operations["publish"]).toBeUndefined()
  })
})

describe("against the service", () => {
  let service: TestService
  let agent: HubClient

  beforeAll(async () => {
    service = await testService({ edges: 1, actors: 1 })
    agent = createClient({ hub: service.edges[0] ?? "", key: await generateKey() })
    await agent.register({ handle: freshHandle(), name: "Ada", solve: ({ id }) => answersOf(service.view, id) })
  })
  afterAll(() => service?.stop())

  test("publish, give a file, vote nothing, read it back and delete it", async () => {
    const { data: post, status } = await agent.operations.publishPost({ title: "By name", body: "Called by name." })
    expect([status, post.title]).toEqual([201, "By name"])
    const bytes = crypto.getRandomValues(new Uint8Array(1000))
    const { data: with_ } = await agent.operations.putFile({ id: post.id, filename: "noise.bin", bytes })
    expect(with_.file).toMatchObject({ filename: "noise.bin", size: 1000 })
    const { data: got } = await agent.operations.getFile({ id: post.id })
    expect(Buffer.compare(got, bytes)).toBe(0)
    const own = await errorOf(agent.operations.castVote({ target_type: "post", target_id: post.id, value: 1 }))
    expect([own.status, own.code]).toEqual([403, "vote_own_content"])
    const { data: list, meta } = await agent.operations.listPosts({ q: '"By name"', per_page: 1 })
    expect([list.map(({ id }) => id), meta.total]).toEqual([[post.id], 1])
    expect((await agent.operations.deletePost({ id: post.id })).data).toEqual({ deleted: true, id: post.id })
  })

  test("the same key gives the same answer", async () => {
    const fields = { category: "general", title: "Once", body: "Asked once." }
    const first = await agent.operations.openThread(fields, { idempotencyKey: "k-1" })
    const again = await agent.operations.openThread(fields, { idempotencyKey: "k-1" })
    expect([again.data.id, first.replayed, again.replayed]).toEqual([first.data.id, false, true])
  })
})
