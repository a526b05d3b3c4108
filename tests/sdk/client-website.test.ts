/** Proofs of identity: to whom they go, to whom not, and that each is for its own request. */
import { createPublicKey, verify } from "node:crypto"
import { afterEach, describe, expect, it } from "vitest"
import { createClient, type HubClient, HubError, keyFromSeed } from "../../edge/sdk/client.ts"
import { announcedNumber, identityString } from "../../schemas/signing/identity.ts"
import vectors from "../vectors/identity-signing.json" with { type: "json" }
import { type Asked, type Play, type Player, startPlayer } from "./support/player.ts"

const identity = { number: "HX-000042", idUrl: "https://hub.example/id/HX-000042" }
const key = await keyFromSeed(vectors.seed)
const publicKey = createPublicKey({
  key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(vectors.public_key, "base64").toString("base64url") },
  format: "jwk"
})
const players: Array<Player> = []
const hub = createClient({ hub: "https://hub.example", key, identity })

afterEach(async () => {
  await Promise.all(players.splice(0).map((player) => player.stop()))
})

async function website(play: Play, name?: string): Promise<Player> {
  const player = await startPlayer(play, name)
  players.push(player)
  return player
}

const ok: Play = (_, response) => void response.end("welcome")
const leading =
  (status: number, to: () => string, times = 1): Play =>
  (_, response, count) =>
    void (count <= times ? response.writeHead(status, { location: to() }).end("elsewhere") : response.end("welcome"))

const PROOF = ["hub-id", "hub-timestamp", "hub-nonce", "hub-signature"]

/** As a website does it: by its own host name and what arrived. */
const isProven = (asked: Asked, host: string): boolean => {
  const [id, timestamp, nonce, signature] = PROOF.map((name) => String(asked.headers[name] ?? ""))
  const text = identityString({
    method: asked.method,
    host,
    path: asked.target,
    timestamp: timestamp ?? "",
    nonce: nonce ?? ""
  })
  return id === identity.number && verify(null, Buffer.from(text), publicKey, Buffer.from(signature ?? "", "base64"))
}

const isBare = ({ headers }: Asked): boolean =>
  PROOF.every((name) => headers[name] === undefined) && announcedNumber(headers["user-agent"] ?? "") === null

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "none",
    (error: unknown) => (error instanceof HubError ? error.code : String(error))
  )

describe("a proof", () => {
  it.each(vectors.requests)("is for method, host and target: $name", async ({ method, host, path }) => {
    const scheme = /^[\d.]+(:|$)/.test(host) ? "http" : "https"
    const headers = await hub.proof({ method: method.toLowerCase(), url: `${scheme}://${host}${path}` })
    const text = identityString({
      method,
      host,
      path,
      timestamp: headers["Hub-Timestamp"],
      nonce: headers["Hub-Nonce"]
    })
    expect(verify(null, Buffer.from(text), publicKey, Buffer.from(headers["Hub-Signature"], "base64"))).toBe(true)
    expect(headers["Hub-Id"]).toBe(identity.number)
    expect(announcedNumber(headers["User-Agent"])).toBe(identity.number)
  })

  it.each(vectors.requests)("has the signature of the vectors: $name", async ({ string_to_sign, signature }) => {
    expect(await key.sign(string_to_sign)).toBe(signature)
  })

  it("is new each time, by the service's clock", async () => {
    const now = Date.parse("2026-01-01T00:00:00Z")
    const timed = createClient({ hub: "https://hub.example", key, identity, now: () => now })
    const [one, other] = [
      await timed.proof({ url: "https://shop.example/" }),
      await timed.proof({ url: "https://shop.example/" })
    ]
    expect(one["Hub-Nonce"]).not.toBe(other["Hub-Nonce"])
    expect(one["Hub-Timestamp"]).toBe("1767225600")
  })

  it("can be for a target in another form than the address has", async () => {
    const headers = await hub.proof({ url: "https://shop.example/", path: "//a/../b?%7e" })
    const text = identityString({
      method: "GET",
      host: "shop.example",
      path: "//a/../b?%7e",
      timestamp: headers["Hub-Timestamp"],
      nonce: headers["Hub-Nonce"]
    })
    expect(verify(null, Buffer.from(text), publicKey, Buffer.from(headers["Hub-Signature"], "base64"))).toBe(true)
  })

  it.each([
    [{ url: "http://shop.example/" }, "insecure_address"],
    [{ url: "shop.example" }, "invalid_argument"],
    [{ url: "file:///etc/passwd" }, "invalid_argument"],
    [{ url: "https://shop.example/", method: "GET\nX" }, "invalid_argument"],
    [{ url: "https://shop.example/", path: "a" }, "invalid_argument"],
    [{ url: "https://shop.example/", path: "/a\nb" }, "invalid_argument"]
  ])("is not made for %j", async (toProve, code) => {
    expect(await codeOf(hub.proof(toProve))).toBe(code)
  })

  it("asks for the number once, and keeps it", async () => {
    let asked = 0
    const learning = createClient({
      hub: "https://hub.example",
      key,
      fetch: async () => {
        asked += 1
        return Response.json({ ok: true, data: { hx_id: identity.number, id_url: identity.idUrl } })
      }
    })
    await learning.proof({ url: "https://shop.example/" })
    expect((await learning.proof({ url: "https://shop.example/" }))["Hub-Id"]).toBe(identity.number)
    expect(asked).toBe(1)
  })
})

describe("fetch", () => {
  const inClear = async (url: string): Promise<[string, number]> => {
    let asked = 0
    const counting = createClient({
      hub: "https://hub.example",
      key,
      identity,
      fetch: async () => {
        asked += 1
        return new Response("")
      }
    })
    return [await codeOf(counting.fetch(url)), asked]
  }

  it("proves the request that it makes", async () => {
    const shop = await website(ok)
    const response = await hub.fetch(`${shop.url}/caf%C3%A9?x=%2f&x=%2F#part`, {
      method: "post",
      body: "cart",
      headers: { "User-Agent": "Basket/1", "X-Own": "1" }
    })
    expect([response.status, await response.text()]).toEqual([200, "welcome"])
    const [asked] = shop.asked
    expect(asked).toMatchObject({
      method: "POST",
      target: "/caf%C3%A9?x=%2f&x=%2F",
      body: "cart",
      headers: { "x-own": "1" }
    })
    expect(asked?.headers["user-agent"]).toMatch(/^Basket\/1 HubAgent\//)
    expect(announcedNumber(asked?.headers["user-agent"] ?? "")).toBe(identity.number)
    expect(shop.asked.map((one) => isProven(one, shop.host))).toEqual([true])
  })

  it("proves each hop on the same host anew", async () => {
    const shop: Player = await website(
      (_, response, count) =>
        void (count < 3 ? response.writeHead(302, { location: `/step/${count}?n=1` }).end() : response.end("there"))
    )
    expect(await (await hub.fetch(shop.url)).text()).toBe("there")
    expect(shop.asked.map(({ target }) => target)).toEqual(["/", "/step/1?n=1", "/step/2?n=1"])
    expect(shop.asked.map((one) => isProven(one, shop.host))).toEqual([true, true, true])
    expect(new Set(shop.asked.map(({ headers }) => headers["hub-nonce"])).size).toBe(3)
  })

  it("gives no proof and nothing that is bound to one origin to a host that was not named", async () => {
    const other = await website(ok)
    const shop = await website(leading(302, () => `${other.url}/collect`))
    const response = await hub.fetch(shop.url, { headers: { authorization: "Basic x", cookie: "a=b", "x-own": "1" } })
    expect(await response.text()).toBe("welcome")
    expect(other.asked.map(isBare)).toEqual([true])
    expect(other.asked[0]?.headers).not.toHaveProperty("authorization")
    expect(other.asked[0]?.headers).not.toHaveProperty("cookie")
    expect(other.asked[0]?.headers["x-own"]).toBe("1")
  })

  it("proves again where it comes back, and to hosts that were named", async () => {
    const www = await website(ok)
    const shop = await website(leading(307, () => `${www.url}/`))
    await hub.fetch(shop.url, { proveTo: [www.host.toUpperCase()] })
    expect([
      ...shop.asked.map((one) => isProven(one, shop.host)),
      ...www.asked.map((one) => isProven(one, www.host))
    ]).toEqual([true, true])
    expect(await codeOf(hub.fetch(shop.url, { proveTo: ["not a host"] }))).toBe("invalid_argument")
  })

  it.each([
    [301, "GET", ""],
    [302, "GET", ""],
    [303, "GET", ""],
    [307, "POST", "cart"],
    [308, "POST", "cart"]
  ])("%d turns a POST into %s", async (status, method, body) => {
    const shop = await website(leading(status, () => "/next"))
    await hub.fetch(shop.url, { method: "POST", body: "cart", headers: { "content-type": "text/x-cart" } })
    expect(shop.asked[1]).toMatchObject({ method, body, target: "/next" })
    expect(shop.asked[1]?.headers["content-type"]).toBe(body === "" ? undefined : "text/x-cart")
    expect(shop.asked.map((one) => isProven(one, shop.host))).toEqual([true, true])
  })

  it("follows five redirects and no sixth", async () => {
    const five = await website(leading(302, () => "/again", 5))
    expect((await hub.fetch(five.url)).status).toBe(200)
    const endless = await website(leading(302, () => "/again", 1e9))
    expect(await codeOf(hub.fetch(endless.url))).toBe("too_many_redirects")
    expect(endless.asked).toHaveLength(6)
  })

  it.each([
    ["https://[", "unexpected_redirect"],
    ["file:///etc/passwd", "unexpected_redirect"],
    ["data:text/plain,x", "unexpected_redirect"]
  ])("does not follow to %s", async (location, code) => {
    const shop = await website(leading(302, () => location))
    expect(await codeOf(hub.fetch(shop.url))).toBe(code)
  })

  it("does not send a body twice that can be read once", async () => {
    const shop = await website(leading(307, () => "/next"))
    const once = { method: "POST", body: new Blob(["cart"]).stream(), duplex: "half" } as const
    expect(await codeOf(hub.fetch(shop.url, once))).toBe("unexpected_redirect")
    expect(shop.asked).toHaveLength(1)
  })

  it("leaves redirects to the caller who wants them so", async () => {
    const shop = await website(leading(302, () => "/next", 9))
    expect((await hub.fetch(shop.url, { redirect: "manual" })).headers.get("location")).toBe("/next")
    expect(await codeOf(hub.fetch(shop.url, { redirect: "error" }))).toBe("unexpected_redirect")
  })

  it("does not leave https", async () => {
    const secure: HubClient = createClient({
      hub: "https://hub.example",
      key,
      identity,
      fetch: async () => new Response(null, { status: 302, headers: { location: "http://shop.example/" } })
    })
    expect(await codeOf(secure.fetch("https://shop.example/"))).toBe("insecure_address")
  })

  it.each(["http://shop.example/", "http://127.0.0.1.nip.example/", "http://10.0.0.1/"])(
    "asks nothing of %s",
    async (url) => {
      expect(await inClear(url)).toEqual(["insecure_address", 0])
    }
  )

  it("needs a key", async () => {
    expect(await codeOf(createClient({ hub: "https://hub.example" }).fetch("https://shop.example/"))).toBe("no_key")
  })
})
