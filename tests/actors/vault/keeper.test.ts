/** How private keys stand in the keeper's store, and what is sealed to whom. */
import { randomBytes } from "node:crypto"
import { expect, test } from "vitest"
import { newPair, sealedTo } from "../../../actors/vault/keeper/pairs.ts"
import { KeySealing } from "../../../actors/vault/keeper/sealing.ts"
import { openEntry, sealEntry } from "../../../edge/sdk/vault/seal.ts"
import { oneTimeKey } from "../../support/vault.ts"

const [seed, former] = [randomBytes(32), randomBytes(32)]

test("a key opens for its vault alone, under its HUB_VAULT_KEY alone", () => {
  const sealing = new KeySealing(seed, null)
  const key = randomBytes(32)
  const sealed = sealing.seal(key, "vault-a")
  expect(sealing.open(sealed, "vault-a").equals(key)).toBe(true)
  expect(sealed.includes(key)).toBe(false)
  expect(() => sealing.open(sealed, "vault-b")).toThrow()
  expect(() => new KeySealing(former, null).open(sealed, "vault-a")).toThrow("another HUB_VAULT_KEY")
  for (let at = 4; at < sealed.length; at++) {
    const spoiled = Buffer.from(sealed)
    spoiled[at] = (spoiled[at] ?? 0) ^ 1
    expect(() => sealing.open(spoiled, "vault-a")).toThrow()
  }
})

test("what stands under the former key opens, and is told from what does not", () => {
  const [before, now] = [new KeySealing(former, null), new KeySealing(seed, former)]
  const key = randomBytes(32)
  const sealed = before.seal(key, "v")
  expect([now.open(sealed, "v").equals(key), now.isCurrent(sealed), now.isCurrent(now.seal(key, "v"))]).toEqual([
    true,
    false,
    true
  ])
})

test("what is sealed to one key opens with no other", async () => {
  const { bytes, public_key } = await newPair()
  const [one, other] = [await oneTimeKey(), await oneTimeKey()]
  const sealed = await sealedTo(bytes, one.ephemeral_public_key)
  expect(Buffer.from(one.open(sealed)).equals(bytes)).toBe(true)
  expect(() => other.open(sealed)).toThrow()
  const entry = await sealEntry({ vault: "v", public_key, uid: "u", kind: "secret", fields: { value: "x", uid: "no" } })
  const keys = { public_key: Buffer.from(public_key, "base64"), private_key: bytes }
  expect(await openEntry(entry, keys)).toEqual({ v: 1, vault: "v", uid: "u", kind: "secret", origins: [], value: "x" })
  expect(await openEntry(entry, { ...keys, private_key: randomBytes(32) })).toBeNull()
  expect(await openEntry("hxv1.AAAA", keys)).toBeNull()
  await expect(sealEntry({ vault: "v", public_key: "AAAA", uid: "u", kind: "secret", fields: {} })).rejects.toThrow(
    TypeError
  )
})

test("a token is the same for the same words, and another for any other or under another key", () => {
  const sealing = new KeySealing(seed, former)
  const token = sealing.tokenOf("agent", "place", "request").toString("hex")
  expect(new KeySealing(seed, null).tokenOf("agent", "place", "request").toString("hex")).toBe(token)
  const others = [
    sealing.tokenOf("agent", "place", "another"),
    sealing.tokenOf("agent", "other", "request"),
    sealing.tokenOf("agentplace", "", "request"),
    new KeySealing(former, null).tokenOf("agent", "place", "request")
  ].map((one) => one.toString("hex"))
  expect(new Set([token, ...others]).size).toBe(5)
})
