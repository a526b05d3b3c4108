/** What the client makes of hubs that are broken, or mean harm. */
import { verify } from "node:crypto"
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import { createClient } from "../../edge/sdk/client.ts"
import { type Asked, data, json, type Play, refuse } from "./support/player.ts"
import { errorOf } from "./support/errors.ts"
import { headerOf, key, playing, publicKeyOf, QUICK } from "./support/playing.ts"

describe("hostile and broken answers", () => {
  it.each([
    ["too long", "r".repeat(9000), null],
    ["not printable", "r\u0085\u009b", null],
    ["in two words", "r r", null],
    ["ordinary", "0199f3a2-77d1-7c55-8f1e-3c2d5b6a7980", "0199f3a2-77d1-7c55-8f1e-3c2d5b6a7980"]
  ])("a request id that is %s", async (_what, id, expected) => {
    const headers = { "x-request-id": id }
    const { hub } = await playing((_, response) => json(response, 200, { ok: true, data: 1 }, headers))
    expect((await hub.request("GET", "/me")).requestId).toBe(expected)
    const { hub: refusing } = await playing((_, response) => json(response, 404, { error: { code: "x" } }, headers))
    expect((await errorOf(refusing.get("/me"))).requestId).toBe(expected)
  })

  const html = "<html>".padEnd(5_000, "x")
  it.each<[string, Play, string]>([
    [
      "no JSON under a JSON type",
      (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end("{oops"),
      "answer_malformed"
    ],
    [
      "a page for humans as a refusal",
      (_, response) => void response.writeHead(418, { "content-type": "text/html" }).end(html),
      "http_418"
    ],
    [
      "a refusal of odd types",
      (_, response) => json(response, 400, { error: { code: 7, message: ["x"], details: "y" } }),
      "http_400"
    ],
    [
      "a code that is none",
      (_, response) => json(response, 400, { error: { code: "\u001b[31mred", message: "" } }),
      "http_400"
    ],
    ["a refusal that is null", (_, response) => json(response, 400, null), "http_400"],
    ["a list as a refusal", (_, response) => json(response, 400, [1]), "http_400"],
    [
      "problem details",
      (_, response) =>
        json(
          response,
          404,
          { code: "not_found", detail: "gone", details: {} },
          { "content-type": "application/problem+json" }
        ),
      "not_found"
    ],
    [
      "a redirect to another host",
      (_, response) => void response.writeHead(302, { location: "https://evil.example/api/v1/me" }).end(),
      "unexpected_redirect"
    ],
    [
      "a redirect to itself",
      (_, response) => void response.writeHead(307, { location: "/api/v1/me" }).end(),
      "unexpected_redirect"
    ]
  ])("%s", async (_what, play, code) => {
    const { hub, player } = await playing(play, { retry: { ...QUICK, tries: 1 } })
    const error = await errorOf(hub.get("/me"))
    expect(error.code).toBe(code)
    expect(error.message.length).toBeLessThanOrEqual(500)
    expect(typeof error.details).toBe("object")
    expect(player.asked).toHaveLength(1)
  })

  it("a message without an end is cut", async () => {
    const { hub } = await playing((_, response) =>
      json(response, 422, { error: { code: "validation_error", message: "x".repeat(100_000) } })
    )
    expect((await errorOf(hub.get("/me"))).message).toHaveLength(500)
  })

  it.each([
    ["announced", true],
    ["not announced", false]
  ])("a body without an end, %s, is read to the bound and no further", async (_what, announced) => {
    let written = 0
    const { hub } = await playing(
      (_, response) => {
        response.writeHead(200, {
          "content-type": "application/json",
          ...(announced ? { "content-length": "999999999999" } : {})
        })
        const chunk = Buffer.alloc(65_536, 0x20)
        const more = (): void => {
          while (!response.destroyed && response.write(chunk)) written += chunk.length
        }
        response.on("drain", more)
        more()
      },
      { maxAnswerBytes: 1_000_000 }
    )
    expect(await errorOf(hub.get("/me"))).toMatchObject({ code: "answer_too_large", status: 200 })
    expect(written).toBeLessThan(50_000_000)
  })

  it("a bound holds to the byte", async () => {
    const text = JSON.stringify({ ok: true, data: "ä" })
    const { hub } = await playing(
      (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end(text)
    )
    const length = Buffer.byteLength(text)
    expect((await hub.request("GET", "/me", { maxAnswerBytes: length })).data).toBe("ä")
    expect((await errorOf(hub.request("GET", "/me", { maxAnswerBytes: length - 1 }))).code).toBe("answer_too_large")
  })

  it.each<[string, Play]>([
    ["no answer at all", () => undefined],
    [
      "an answer that drips",
      (_, response) => {
        response.writeHead(200, { "content-type": "application/json" })
        const drip = setInterval(() => response.write(" "), 20)
        response.on("close", () => clearInterval(drip))
      }
    ]
  ])("%s ends with the time for one try", async (_what, play) => {
    const { hub } = await playing(play, { timeoutMs: 200, retry: { ...QUICK, tries: 2 } })
    expect(await errorOf(hub.get("/me"))).toMatchObject({ code: "timed_out", status: 0 })
  })

  it("an answer that breaks off is a broken connection", async () => {
    const { hub, player } = await playing((_, response, count) => {
      if (count > 1) return data(response, { unix: 2 })
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" })
      response.write("{", () => response.destroy())
    })
    expect((await hub.get("/time")).data.unix).toBe(2)
    expect(player.asked).toHaveLength(2)
  })

  it("an error holds neither seed nor signature", async () => {
    const { hub, player } = await playing((_, response) => refuse(response, 401, "auth_bad_signature", { hint: "x" }))
    const error = await errorOf(hub.get("/me"))
    const shown = inspect(error, { depth: 9, showHidden: true })
    expect(shown).not.toContain(key.exportSeed())
    expect(shown).not.toContain(headerOf(player.asked[0], "x-hub-signature"))
  })

  it("a call that is cancelled ends at once, while it waits and while it asks", async () => {
    const reason = new Error("no longer wanted")
    for (const play of [
      () => undefined,
      (_: Asked, response: Parameters<Play>[1]) => refuse(response, 503, "unavailable", {}, { "retry-after": "4" })
    ]) {
      const stop = new AbortController()
      const { hub, player } = await playing((asked, response) => {
        play(asked, response)
        setTimeout(() => stop.abort(reason), 20)
      })
      await expect(hub.get("/me", { signal: stop.signal })).rejects.toBe(reason)
      expect(player.asked).toHaveLength(1)
    }
    await expect(
      createClient({ hub: "http://127.0.0.1:9", key }).get("/me", { signal: AbortSignal.abort(reason) })
    ).rejects.toBe(reason)
  })
})

describe("a challenge to sign", () => {
  const challenge = "A".repeat(43)
  const answering =
    (text: string, given = challenge): Play =>
    (asked, response) =>
      asked.target === "/api/v1/me"
        ? data(response, { id: key.hubId })
        : data(response, {
            challenge: given,
            string_to_sign: text,
            expires_at: "2026-01-01T00:00:00Z",
            ttl_seconds: 300,
            valid: true
          })

  it("is signed as it is built here", async () => {
    const { hub, player } = await playing(answering(`HUB-VERIFY-V1\n${key.hubId}\n${challenge}\n1767225600`))
    await hub.attest()
    const { signature } = JSON.parse(player.asked[2]?.body ?? "") as { readonly signature: string }
    expect(
      verify(
        null,
        Buffer.from(`HUB-VERIFY-V1\n${key.hubId}\n${challenge}\n1767225600`),
        publicKeyOf(key),
        Buffer.from(signature, "base64")
      )
    ).toBe(true)
  })

  it.each([
    ["another's", `HUB-VERIFY-V1\nhx${"0".repeat(24)}\n${challenge}\n1767225600`, challenge],
    ["of another scheme", `HUB-ROTATE-V1\n${key.hubId}\n${challenge}\n1767225600`, challenge],
    ["a request in disguise", `HUB-V2\nDELETE\nhub.example\n/api/v1/me`, challenge],
    ["one with more lines", `HUB-VERIFY-V1\n${key.hubId}\n${challenge}\n1767225600\nx`, challenge],
    ["one without an end", `HUB-VERIFY-V1\n${key.hubId}\n${challenge}\nnever`, challenge],
    ["one with another challenge", `HUB-VERIFY-V1\n${key.hubId}\n${"B".repeat(43)}\n1767225600`, challenge],
    ["one that is no challenge", `HUB-VERIFY-V1\n${key.hubId}\nx\n1767225600`, "x"]
  ])("that is %s is not signed", async (_what, text, given) => {
    const { hub, player } = await playing(answering(text, given))
    expect((await errorOf(hub.attest())).code).toBe("attestation_malformed")
    expect(player.asked).toHaveLength(2)
  })
})

describe("registration", () => {
  const solve = () => ({})
  const pow = { algorithm: "sha256", prefix: "ab", difficulty: 1 }
  it.each<[string, unknown, unknown]>([
    ["no challenge", null, null],
    ["a challenge without work", { id: "x" }, null],
    ["work that is none", { id: "x", pow: { prefix: "\n", difficulty: 1 } }, null],
    ["no questions", { id: "x", pow }, null],
    ["questions without a clock", { id: "x", pow }, { id: "x", questions: [], ttl_seconds: "soon" }]
  ])("with %s ends", async (_what, challenge, served) => {
    const { hub } = await playing((asked, response) =>
      data(response, asked.target.endsWith("/challenge") ? challenge : served)
    )
    expect((await errorOf(hub.register({ handle: "ada", name: "Ada", solve }))).code).toBe("answer_malformed")
  })

  it("does not begin work that nobody finishes", async () => {
    const { hub } = await playing((_, response) => data(response, { id: "x", pow: { ...pow, difficulty: 12 } }))
    expect((await errorOf(hub.register({ handle: "ada", name: "Ada", solve }))).code).toBe("work_too_hard")
  })

  it("has a number or none", async () => {
    const { hub } = await playing((_, response) => data(response, { hx_id: "HX-1\r\nX: y", id_url: "x" }))
    expect((await errorOf(hub.proof({ url: "https://shop.example" }))).code).toBe("answer_malformed")
  })
})
