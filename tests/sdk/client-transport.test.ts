/** How the client signs, by which clock, and how it goes through lists, against hubs that are played. */
import { describe, expect, it } from "vitest"
import { createClient } from "../../edge/sdk/client.ts"
import { data, type Play, refuse } from "./support/player.ts"
import { errorOf } from "./support/errors.ts"
import { holds, key, playing } from "./support/playing.ts"

describe("what is sent", () => {
  it("is signed as it is sent: names, queries and bodies of any kind", async () => {
    const { hub, player } = await playing((_, response) => data(response, {}))
    await hub.get("/agents/:ref", { params: { ref: "ä/ö ?&#%2e" } })
    await hub.get("/agents", { query: { q: "100% & mehr=?\u0000🐙", sort: "newest", page: 2 } })
    await hub.patch("/me", { body: { name: "Zoë 🐙" } })
    await hub.request("GET", "/agents?q=%C3%a9+x&page=2&&sort=top")
    await hub.get("/")
    expect(player.asked.map((asked) => holds(asked, player.host))).toEqual([true, true, true, true, true])
    expect(player.asked.map(({ target }) => target)).toEqual([
      "/api/v1/agents/%C3%A4%2F%C3%B6%20%3F%26%23%252e",
      "/api/v1/agents?q=100%25+%26+mehr%3D%3F%00%F0%9F%90%99&sort=newest&page=2",
      "/api/v1/me",
      "/api/v1/agents?q=%C3%a9+x&page=2&&sort=top",
      "/api/v1"
    ])
    expect(player.asked[2]?.headers["content-type"]).toBe("application/json")
    expect(JSON.parse(player.asked[2]?.body ?? "")).toEqual({ name: "Zoë 🐙" })
  })

  it("goes below the path of the installation, which is not signed", async () => {
    const { hub, player } = await playing(
      (_, response) => data(response, {}),
      { host: "Hub.Example:443" },
      "/some/where/"
    )
    await hub.get("/me")
    const [asked] = player.asked
    expect(asked?.target).toBe("/some/where/api/v1/me")
    expect(asked !== undefined && holds(asked, "hub.example", "/api/v1/me")).toBe(true)
    expect(hub.hub).toBe(`${player.url}/some/where`)
  })

  it("is not signed where that is not wanted, or there is no key", async () => {
    const { hub, player } = await playing((_, response) => data(response, {}))
    await hub.get("/agents", { signed: false })
    await createClient({ hub: player.url }).get("/stats")
    expect(player.asked.map((asked) => asked.headers["x-hub-key"])).toEqual([undefined, undefined])
    expect((await errorOf(createClient({ hub: player.url }).request("GET", "/me", { signed: true }))).code).toBe(
      "no_key"
    )
  })

  it.each(["", ".", ".."])("%j cannot stand for a name in a path", async (ref) => {
    const { hub, player } = await playing((_, response) => data(response, {}))
    await expect(hub.get("/agents/:ref", { params: { ref } })).rejects.toMatchObject({
      code: "invalid_argument",
      details: { field: "ref" }
    })
    expect(player.asked).toEqual([])
  })

  it.each(["me", "/../../id", "/%2e%2e/x", "//evil.example/../../..", "/..", ""])(
    "%j leads nowhere else",
    async (target) => {
      const { hub, player } = await playing((_, response) => data(response, {}))
      expect((await errorOf(hub.request("GET", target))).code).toBe("invalid_argument")
      expect(player.asked).toEqual([])
    }
  )

  it.each([
    ["http://hub.example", "insecure_address"],
    ["ftp://127.0.0.1", "invalid_argument"],
    ["hub.example", "invalid_argument"],
    ["", "invalid_argument"],
    ["https://user:word@hub.example", "invalid_argument"],
    ["http://127.0.0.1.example", "insecure_address"]
  ])("%s is no hub to speak to", (hub, code) => {
    expect(() => createClient({ hub, key })).toThrow(expect.objectContaining({ code }))
  })

  it.each([
    ["http://hub.example", true],
    ["http://127.0.0.1:8080", false],
    ["http://localhost", false],
    ["http://[::1]:1", false],
    ["https://hub.example/x", false]
  ])("%s is (allowing http: %s)", (hub, allowHttp) => {
    expect(createClient({ hub, key, allowHttp }).hub).toBe(hub)
  })
})

describe("a clock that is off", () => {
  it("is learned once from the refusal, and kept", async () => {
    const offset = 3_600
    const serverTime = () => Math.floor(Date.now() / 1000) + offset
    const { hub, player } = await playing((asked, response) => {
      const skew = Math.abs(serverTime() - Number(asked.headers["x-hub-timestamp"]))
      return skew > 300
        ? refuse(response, 401, "auth_timestamp_skew", { server_time: serverTime() })
        : data(response, {})
    })
    await hub.get("/me")
    await hub.get("/me")
    expect(player.asked).toHaveLength(3)
    expect(player.asked.every((asked) => holds(asked, player.host))).toBe(true)
  })

  it.each([undefined, "noon", 1.5, Number.NaN, null])("is not learned from %j", async (server_time) => {
    const { hub, player } = await playing((_, response) =>
      refuse(response, 401, "auth_timestamp_skew", { server_time })
    )
    expect((await errorOf(hub.get("/me"))).code).toBe("auth_timestamp_skew")
    expect(player.asked).toHaveLength(1)
  })

  it("is not learned for ever from a hub that cannot make up its mind", async () => {
    const { hub, player } = await playing((_, response, count) =>
      refuse(response, 401, "auth_timestamp_skew", { server_time: count * 10_000 })
    )
    expect((await errorOf(hub.get("/me"))).code).toBe("auth_timestamp_skew")
    expect(player.asked).toHaveLength(2)
  })
})

describe("lists", () => {
  const listing =
    (total: number): Play =>
    (asked, response) => {
      const query = new URL(asked.target, "http://x").searchParams
      const [page, size] = [Number(query.get("page")), Number(query.get("per_page"))]
      const items = Array.from({ length: total }, (_, index) => ({ handle: `a${index}` })).slice(
        (page - 1) * size,
        page * size
      )
      return data(response, items, { page, per_page: size, total, pages: Math.ceil(total / size) })
    }
  const all = async <A>(items: AsyncIterable<A>): Promise<Array<A>> => {
    const found: Array<A> = []
    for await (const item of items) found.push(item)
    return found
  }

  it("come whole, page after page", async () => {
    const { hub, player } = await playing(listing(25))
    expect(
      (await all(hub.pages("/agents", { perPage: 10, query: { sort: "newest" } }))).map(({ handle }) => handle)
    ).toEqual(Array.from({ length: 25 }, (_, index) => `a${index}`))
    expect(player.asked.map(({ target }) => target)).toEqual(
      [1, 2, 3].map((page) => `/api/v1/agents?sort=newest&per_page=10&page=${page}`)
    )
  })

  it.each([
    [0, 0],
    [1, 1],
    [10, 10],
    [13, 13],
    [99, 25]
  ])("end after %d at most", async (max, count) => {
    const { hub } = await playing(listing(25))
    expect(await all(hub.pages("/agents", { perPage: 10, max }))).toHaveLength(count)
  })

  it("end where nothing comes any more, whatever is promised", async () => {
    const { hub, player } = await playing((_, response, count) =>
      data(response, count < 3 ? [{}] : [], { page: count, per_page: 1, total: 1e9, pages: 1e9 })
    )
    expect(await all(hub.pages("/agents"))).toHaveLength(2)
    expect(player.asked).toHaveLength(3)
  })

  it.each([
    [{ items: [] }, {}],
    ["text", {}],
    [null, {}]
  ])("that are none: %j", async (what, meta) => {
    const { hub } = await playing((_, response) => data(response, what, meta))
    expect((await errorOf(all(hub.pages("/agents")))).code).toBe("answer_malformed")
  })
})
