import { createHash, createPrivateKey, verify, createPublicKey } from "node:crypto"
import { describe, expect, it } from "vitest"
import { readPublicKey } from "../../edge/auth/public-key.ts"
import { decodeBase64, hubIdOf } from "../../schemas/signing/key.ts"
import { powHash, powHolds } from "../../schemas/signing/pow.ts"
import { normaliseHost, requestStringV1, requestStringV2 } from "../../schemas/signing/request.ts"
import { formatSeed, keyPairOfSeed, parseSeed } from "../../schemas/signing/seed.ts"
import hosts from "../vectors/hosts.json" with { type: "json" }
import keys from "../vectors/keys.json" with { type: "json" }
import pow from "../vectors/proof-of-work.json" with { type: "json" }
import signing from "../vectors/request-signing.json" with { type: "json" }

describe("request signing", () => {
  const pair = keyPairOfSeed(Buffer.from(signing.seed, "base64"))

  it("the seed gives the key and the identity", () => {
    expect(Buffer.from(pair.publicKey).toString("base64")).toBe(signing.public_key)
    expect(hubIdOf(pair.publicKey)).toBe(signing.hub_id)
    expect(createPrivateKey(pair.privateKey.export({ format: "pem", type: "pkcs8" })).asymmetricKeyType).toBe("ed25519")
  })

  it.each(signing.requests)("$name", (request) => {
    const bodySha256 = createHash("sha256").update(request.body).digest("hex")
    expect(bodySha256).toBe(request.body_sha256)
    const text =
      request.scheme === "HUB-V2"
        ? requestStringV2({ ...request, host: request.host ?? "", bodySha256 })
        : requestStringV1({ ...request, bodySha256 })
    expect(text).toBe(request.string_to_sign)
    expect(
      verify(null, Buffer.from(text), createPublicKey(pair.privateKey), Buffer.from(request.signature, "base64"))
    ).toBe(true)
  })
})

describe("host lines", () => {
  it.each(hosts.hosts)("$host", ({ host, line }) => {
    expect(normaliseHost(host)).toBe(line)
  })
})

describe("keys", () => {
  it.each(keys.keys)("$hub_id has one identity in every form", ({ hex, hub_id, forms }) => {
    for (const form of forms) {
      const bytes = decodeBase64(form, 32)
      expect(Buffer.from(bytes ?? []).toString("hex")).toBe(hex)
      expect(hubIdOf(bytes ?? new Uint8Array())).toBe(hub_id)
      expect(readPublicKey(form).ok).toBe(true)
    }
  })

  it.each(keys.not_32_bytes)("%j is none", (text) => {
    expect(decodeBase64(text, 32)).toBeNull()
  })

  it.each(keys.not_registrable)("$hex cannot be registered: $why", ({ hex }) => {
    expect(readPublicKey(Buffer.from(hex, "hex").toString("base64")).ok).toBe(false)
  })
})

describe("proof of work", () => {
  it.each(pow.proofs)("$prefix $nonce", ({ prefix, nonce, hash, zeros }) => {
    expect(powHash(prefix, nonce)).toBe(hash)
    expect(powHolds(hash, zeros)).toBe(true)
    expect(powHolds(hash, zeros + 1)).toBe(false)
  })
})

describe("the service's seed", () => {
  it("comes back from its file's form, and nothing else is one", () => {
    const seed = Buffer.from(signing.seed, "base64")
    expect(parseSeed(formatSeed(seed))).toEqual(seed)
    for (const text of ["", "x", signing.seed.slice(4), `${signing.seed}AAAA`]) expect(parseSeed(text)).toBeNull()
  })
})
