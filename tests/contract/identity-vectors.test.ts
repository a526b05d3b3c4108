/**
 * The strings of identity, and their signatures, as every implementation must have them: code, documents and vectors
 * agree.
 */
import { readFileSync } from "node:fs"
import { createHmac, createPublicKey, verify } from "node:crypto"
import { join } from "node:path"
import { calculateJwkThumbprint } from "jose"
import { Webhook } from "standardwebhooks"
import { describe, expect, it } from "vitest"
import { projectRoot } from "../../ops/launcher/paths.ts"
import { attestationString } from "../../schemas/signing/attestation.ts"
import { announcedNumber, identityString, parseAgentNumber } from "../../schemas/signing/identity.ts"
import { jwkOf } from "../../schemas/signing/jwk.ts"
import { encodeBase64, hubIdOf } from "../../schemas/signing/key.ts"
import { recoveryString } from "../../schemas/signing/recovery.ts"
import { rotationString } from "../../schemas/signing/rotation.ts"
import { keyPairOfSeed } from "../../schemas/signing/seed.ts"
import { webhookString } from "../../schemas/signing/webhook.ts"
import announcements from "../vectors/announcements.json" with { type: "json" }
import attestation from "../vectors/attestation.json" with { type: "json" }
import identity from "../vectors/identity-signing.json" with { type: "json" }
import jwks from "../vectors/jwk.json" with { type: "json" }
import rotation from "../vectors/key-rotation.json" with { type: "json" }
import recovery from "../vectors/recovery-key.json" with { type: "json" }
import webhooks from "../vectors/webhook-signing.json" with { type: "json" }

const pairOf = (seed: string) => keyPairOfSeed(Buffer.from(seed, "base64"))

const holds = (seed: string, text: string, signature: string): boolean =>
  verify(null, Buffer.from(text), createPublicKey(pairOf(seed).privateKey), Buffer.from(signature, "base64"))

const specification = readFileSync(join(projectRoot, "edge", "docs", "hub-id.md"), "utf8")

describe("proofs to websites", () => {
  it.each(identity.requests)("$name", (request) => {
    expect(identityString(request)).toBe(request.string_to_sign)
    expect(holds(identity.seed, request.string_to_sign, request.signature)).toBe(true)
  })

  it("are told with the same strings and signatures by the specification", () => {
    for (const request of identity.requests.slice(0, 2)) {
      expect(specification).toContain(`\n${request.string_to_sign}\n\`\`\``)
      expect(specification).toContain(`\`${request.signature}\``)
    }
  })
})

describe("recovery keys", () => {
  it.each(recovery.recoveries)("$name", (one) => {
    const text = recoveryString({
      hubId: one.hub_id,
      currentPublicKey: one.current_public_key,
      recoveryPublicKey: one.recovery_public_key
    })
    expect(text).toBe(one.string_to_sign)
    expect(holds(one.recovery_seed, text, one.proof)).toBe(true)
  })
})

describe("rotation", () => {
  it.each(rotation.rotations)("$name", (one) => {
    const text = rotationString({
      hubId: one.hub_id,
      currentPublicKey: one.current_public_key,
      newPublicKey: one.new_public_key
    })
    expect(text).toBe(one.string_to_sign)
    expect(hubIdOf(Buffer.from(one.current_public_key, "base64"))).toBe(one.hub_id)
    expect(encodeBase64(pairOf(one.new_seed).publicKey)).toBe(one.new_public_key)
    expect(holds(one.new_seed, text, one.proof)).toBe(true)
    expect(specification).toContain(text)
    expect(specification).toContain(`\`${one.proof}\``)
  })
})

describe("attestation", () => {
  it.each(attestation.challenges)("$challenge", (one) => {
    expect(attestationString({ hubId: one.hub_id, challenge: one.challenge, expires: one.expires })).toBe(
      one.string_to_sign
    )
    expect(holds(attestation.seed, one.string_to_sign, one.signature)).toBe(true)
  })
})

describe("webhooks", () => {
  it.each(webhooks.deliveries)("$id is what other implementations of the standard make of it", (one) => {
    expect(webhookString(one)).toBe(one.string_to_sign)
    const secret = Buffer.from(webhooks.secret.replace("whsec_", ""), "base64")
    expect(createHmac("sha256", secret).update(one.string_to_sign).digest("base64")).toBe(one.v1)
    expect(new Webhook(webhooks.secret).sign(one.id, new Date(Number(one.timestamp) * 1000), one.body)).toBe(
      `v1,${one.v1}`
    )
    expect(holds(webhooks.server_seed, one.string_to_sign, one.v1a)).toBe(true)
  })
})

describe("keys as JSON Web Keys", () => {
  it.each(jwks.keys)("$public_key", async ({ public_key, jwk }) => {
    expect(jwkOf(public_key)).toEqual(jwk)
    expect(await calculateJwkThumbprint({ kty: "OKP", crv: "Ed25519", x: jwk.x })).toBe(jwk.kid)
  })
})

describe("agent numbers", () => {
  it.each(announcements.user_agents)("in $user_agent", ({ user_agent, number }) =>
    expect(announcedNumber(user_agent)).toBe(number)
  )
  it.each(announcements.numbers)("$text", ({ text, number }) => expect(parseAgentNumber(text)).toBe(number))
})
