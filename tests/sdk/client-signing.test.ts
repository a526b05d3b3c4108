/** What the client signs and verifies, by the vectors that every implementation runs. */
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { inspect, promisify } from "node:util"
import { describe, expect, it } from "vitest"
import {
  createClient,
  generateKey,
  HubError,
  keyFromSeed,
  proofOfWork,
  verifyWebhook,
  type WebhookToVerify
} from "../../edge/sdk/client.ts"
import { sha256Text, startsWithZeros } from "../../edge/sdk/client/sha256.ts"
import { projectRoot } from "../../ops/launcher/paths.ts"
import keys from "../vectors/keys.json" with { type: "json" }
import pow from "../vectors/proof-of-work.json" with { type: "json" }
import signing from "../vectors/request-signing.json" with { type: "json" }
import webhook from "../vectors/webhook-signing.json" with { type: "json" }

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "none",
    (error: unknown) => (error instanceof HubError ? error.code : String(error))
  )

describe("keys", () => {
  it("come from a seed in either alphabet, with the identity that belongs to them", async () => {
    const raw = Buffer.from(signing.seed, "base64")
    for (const text of [signing.seed, raw.toString("base64url"), ` ${signing.seed}\n`]) {
      const key = await keyFromSeed(text)
      expect([key.publicKey, key.hubId]).toEqual([signing.public_key, signing.hub_id])
      expect(key.exportSeed()).toBe(signing.seed)
    }
  })

  it.each([...keys.not_32_bytes, signing.seed.slice(4), `${signing.seed}AAAA`])("%j is no seed", async (text) => {
    expect(await codeOf(keyFromSeed(text))).toBe("invalid_argument")
  })

  it("show their seed in no form but the one that is asked for", async () => {
    const key = await keyFromSeed(signing.seed)
    const hub = createClient({ hub: "https://hub.example", key })
    const seeds = [
      signing.seed,
      Buffer.from(signing.seed, "base64").toString("hex"),
      Buffer.from(signing.seed, "base64").toString("base64url").slice(0, 42)
    ]
    const shown = [
      inspect(key, { showHidden: true, depth: 9 }),
      JSON.stringify(key),
      String(key),
      inspect(hub, { showHidden: true, depth: 9 }),
      JSON.stringify(hub),
      JSON.stringify(Object.entries(key))
    ]
    for (const text of shown) for (const seed of seeds) expect(text).not.toContain(seed)
    expect(inspect(key)).toContain(signing.public_key)
  })

  it("are new each time", async () => {
    expect((await generateKey()).publicKey).not.toBe((await generateKey()).publicKey)
  })

  it.each(signing.requests)("sign: $name", async ({ string_to_sign, signature }) => {
    expect(await (await keyFromSeed(signing.seed)).sign(string_to_sign)).toBe(signature)
  })
})

describe("proof of work", () => {
  it.each(pow.proofs)("of $prefix", async ({ prefix, nonce, hash, zeros }) => {
    expect(sha256Text(prefix + nonce)).toBe(hash)
    expect([startsWithZeros(prefix + nonce, zeros), startsWithZeros(prefix + nonce, zeros + 1)]).toEqual([true, false])
    const found = await proofOfWork({ prefix, difficulty: zeros })
    expect(
      createHash("sha256")
        .update(prefix + found)
        .digest("hex")
        .slice(0, zeros)
    ).toBe("0".repeat(zeros))
  })

  it("hashes texts of every length as node:crypto does", () => {
    for (let length = 0; length < 200; length++) {
      const text = "hub".repeat(70).slice(0, length)
      expect(sha256Text(text)).toBe(createHash("sha256").update(text).digest("hex"))
    }
  })

  it("ends when it is told to, with the reason that it is given", async () => {
    const reason = new Error("enough")
    const stop = new AbortController()
    const seen: Array<number> = []
    const work = proofOfWork({
      prefix: "ab",
      difficulty: 8,
      signal: stop.signal,
      onProgress: ({ hashes, expected }) => {
        seen.push(hashes)
        expect(expected).toBe(16 ** 8)
        stop.abort(reason)
      }
    })
    await expect(work).rejects.toBe(reason)
    expect(seen).toHaveLength(1)
  })

  it.each([
    ["ab", 9, "work_too_hard"],
    ["ab", -1, "answer_malformed"],
    ["ab", 1.5, "answer_malformed"],
    ["x;y", 1, "answer_malformed"],
    ["", 1, "answer_malformed"],
    ["a".repeat(129), 1, "answer_malformed"]
  ])("%s at %d is not begun", async (prefix, difficulty, code) => {
    expect(await codeOf(proofOfWork({ prefix, difficulty }))).toBe(code)
  })
})

describe("without Node's modules", () => {
  it("everything comes out the same by WebCrypto", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      "--no-warnings",
      join(projectRoot, "tests/sdk/support/without-node.ts")
    ])
    const { nonce, ...rest } = JSON.parse(stdout) as { readonly nonce: string }
    expect(rest).toEqual({
      publicKey: signing.public_key,
      hubId: signing.hub_id,
      signatures: signing.requests.map(({ signature }) => signature),
      webhooks: ["webhook.test", "webhook.test", "webhook_invalid"],
      signedWith: signing.public_key,
      differ: true
    })
    expect(createHash("sha256").update(`${pow.proofs[0]?.prefix}${nonce}`).digest("hex").slice(0, 3)).toBe("000")
  })
})

describe("webhooks", () => {
  const [delivery] = webhook.deliveries
  if (delivery === undefined) throw new Error("no delivery among the vectors")
  const at = Number(delivery.timestamp)
  const [v1, v1a] = [`v1,${delivery.v1}`, `v1a,${delivery.v1a}`]
  const verify = ({
    signature = `${v1} ${v1a}`,
    ...more
  }: Partial<WebhookToVerify> & { readonly signature?: string } = {}) =>
    verifyWebhook({
      headers: { "Webhook-Id": delivery.id, "WEBHOOK-TIMESTAMP": delivery.timestamp, "webhook-signature": signature },
      body: delivery.body,
      secret: webhook.secret,
      now: () => at * 1000,
      ...more
    })
  const reasonOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => "genuine",
      (error: unknown) => (error instanceof HubError ? (error.details["reason"] ?? error.details["field"]) : error)
    )
  const onlyServer = (signature: string) =>
    verifyWebhook({
      headers: new Headers({
        "webhook-id": delivery.id,
        "webhook-timestamp": delivery.timestamp,
        "webhook-signature": signature
      }),
      body: Buffer.from(delivery.body),
      now: () => at * 1000,
      serverPublicKey: webhook.server_public_key
    })

  it("are known by the secret, among signatures of any kind and order", async () => {
    const other = `v1,${Buffer.alloc(32, 7).toString("base64")}`
    for (const signature of [v1, `${v1} ${v1a}`, `${v1a} ${v1}`, `${other} ${v1}`, `v2,x v1a, ${v1}`])
      expect(await verify({ signature })).toEqual(JSON.parse(delivery.body))
  })

  it("are known by the service's key", async () => {
    for (const signature of [v1a, `${v1} ${v1a}`]) expect((await onlyServer(signature)).notification_id).toBe(42)
    expect(await reasonOf(onlyServer(v1))).toBe("signature")
  })

  it.each<[string, Partial<WebhookToVerify> & { readonly signature?: string }, string]>([
    ["another body", { body: `${delivery.body} ` }, "signature"],
    ["another secret", { secret: `whsec_${Buffer.alloc(32, 1).toString("base64")}` }, "signature"],
    ["no signature of a known kind", { signature: "v9,AAAA" }, "signature"],
    ["a signature under the other kind's name", { signature: `v1,${delivery.v1a} v1a,${delivery.v1}` }, "signature"],
    ["a signature cut short", { signature: v1.slice(0, -4) }, "signature"],
    ["one signature beyond the sixteenth", { signature: `${"v1,AAAA ".repeat(16)}${v1}` }, "signature"],
    ["a delivery too old", { now: () => (at + 301) * 1000 }, "timestamp_expired"],
    ["a delivery from the future", { now: () => (at - 301) * 1000 }, "timestamp_expired"],
    ["a narrower tolerance", { now: () => (at + 11) * 1000, toleranceSeconds: 10 }, "timestamp_expired"],
    ["no headers", { headers: {} }, "headers_missing"],
    [
      "a time that is none",
      { headers: { "webhook-id": "a", "webhook-timestamp": "soon", "webhook-signature": v1 } },
      "timestamp_invalid"
    ],
    [
      "two ids",
      { headers: { "webhook-id": ["a", "b"], "webhook-timestamp": delivery.timestamp, "webhook-signature": v1 } },
      "headers_missing"
    ],
    ["a secret that is none", { secret: "whsec_AAAA" }, "secret"],
    ["a key that is none", { serverPublicKey: "AAAA" }, "serverPublicKey"]
  ])("%s: refused", async (_what, more, reason) => {
    expect(await reasonOf(verify(more))).toBe(reason)
  })

  it("need something to be known by", async () => {
    expect(await reasonOf(verifyWebhook({ headers: {}, body: "" }))).toBe("secret")
  })

  it("hold to the last second of the tolerance", async () => {
    expect((await verify({ now: () => (at + 300) * 1000 })).type).toBe("webhook.test")
  })
})
