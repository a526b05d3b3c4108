/** What is no box and no body is told so, and nothing else is ever thrown (spec 4.12; contract 17). */
import { randomBytes } from "node:crypto"
import { Effect, Exit } from "effect"
import fc from "fast-check"
import sodium from "libsodium-wrappers"
import { expect, test } from "vitest"
import type { Call } from "../../edge/http/call.ts"
import { bodyDecoder } from "../../edge/http/json.ts"
import { openEntry } from "../../edge/sdk/vault/seal.ts"
import {
  BOX_OVERHEAD_BYTES,
  ChangeEntry,
  ciphertextProblem,
  CreateSource,
  FillResult,
  LoadKey,
  OpenFill,
  WriteEntry
} from "../../schemas/vault/fields.ts"
import { VAULT_LIMITS } from "../../schemas/vault/limits.ts"

const BOXES = 100_000
const BODIES = 4000
const MAX = VAULT_LIMITS.ciphertext_max_bytes

const PREFIX = fc.oneof(
  { weight: 6, arbitrary: fc.constant("hxv1.") },
  fc.constantFrom("", "hxv1", "hxv2.", "HXV1.", " hxv1.", "hxv1.hxv1.", "ｈxv1.", "hxv1\u2024", "\ufeffhxv1.")
)

/** Sizes at both bounds among them. */
const LENGTH = fc.oneof(
  fc.nat(200),
  fc.integer({ min: BOX_OVERHEAD_BYTES - 2, max: BOX_OVERHEAD_BYTES + 2 }),
  fc.integer({ min: 12_270, max: 12_300 })
)
const filler = randomBytes(16_384)
const BASE64 = fc
  .tuple(LENGTH, fc.nat(1000))
  .map(([length, from]) => filler.subarray(from, from + length).toString("base64"))

const SPOILS: ReadonlyArray<(text: string) => string> = [
  (text) => text,
  (text) => text,
  (text) => text.replace(/=+$/, ""),
  (text) => `${text}=`,
  (text) => text.replaceAll("+", "-").replaceAll("/", "_"),
  (text) => `${text}\n`,
  (text) => text.replace(/(.{76})/g, "$1\r\n"),
  (text) => text.replace("A", "Ａ"),
  (text) => `${text.slice(0, 20)}\0${text.slice(21)}`,
  (text) => `=${text}`,
  (text) => encodeURIComponent(text),
  (text) => JSON.stringify(text),
  (text) => text.slice(1)
]

const BOX = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(PREFIX, BASE64, fc.constantFrom(...SPOILS)).map(([a, b, spoil]) => a + spoil(b)) },
  fc.string({ unit: "binary", maxLength: 300 })
)

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

/** Whether the rest is base64 as it is written, but for bits of its last letter that mean nothing. */
const isBase64 = (text: string): boolean => {
  const bytes = Buffer.from(text, "base64")
  const canonical = bytes.toString("base64")
  const last = canonical.replace(/=+$/, "").length - 1
  if (last < 0) return text === ""
  const [before, behind] = [canonical.slice(0, last), canonical.slice(last + 1)]
  return (
    text.length === canonical.length &&
    text.startsWith(before) &&
    text.endsWith(behind) &&
    ALPHABET.includes(text.charAt(last))
  )
}

test(`of ${BOXES} texts only those are boxes that one could be`, () => {
  let boxes = 0
  fc.assert(
    fc.property(BOX, (text) => {
      const problem = ciphertextProblem(text)
      const rest = text.slice(5)
      const may =
        text.length <= MAX &&
        text.startsWith("hxv1.") &&
        isBase64(rest) &&
        Buffer.from(rest, "base64").length > BOX_OVERHEAD_BYTES
      if (problem === null) boxes++
      expect([problem === null, text.slice(0, 60)]).toEqual([may, text.slice(0, 60)])
    }),
    { numRuns: BOXES }
  )
  expect(boxes).toBeGreaterThan(BOXES / 20)
})

const DECODERS = Object.entries({ WriteEntry, ChangeEntry, CreateSource, LoadKey, OpenFill, FillResult }).map(
  ([name, schema]) => [name, bodyDecoder<typeof schema>(schema)] as const
)

const NAMES = [
  "uid kind label origins limits ciphertext unconfirmed entry_id action origin amount currency field status code filled",
  "submitted ephemeral_public_key kinds per_payment per_day fills_per_day __proto__ constructor toString"
].flatMap((names) => names.split(" "))

const VALUE = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -0,
    -1,
    1e21,
    1.5,
    2 ** 53,
    "",
    " ",
    "login",
    "pay",
    "EUR",
    "1",
    "1e3",
    "NaN"
  ),
  fc.string({ unit: "binary", maxLength: 50 }),
  BOX,
  fc.jsonValue({ maxDepth: 4 })
)
const BODY = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.dictionary(fc.constantFrom(...NAMES), VALUE, { maxKeys: 12 }).map((one) => JSON.stringify(one))
  },
  fc.json({ maxDepth: 8 }),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.constantFrom(
    "[".repeat(5000),
    '{"a":'.repeat(5000),
    `{"uid":1e${"9".repeat(400)}}`,
    "{".repeat(100) + "}".repeat(100)
  )
)

test.each(DECODERS)("%s takes a body, or says what of it is wrong", (_name, decode) => {
  fc.assert(
    fc.property(BODY, (text) => {
      const exit = Effect.runSyncExit(decode({} as Call, Buffer.from(text)))
      if (Exit.isSuccess(exit)) return
      const refused = Exit.findErrorOption(exit)
      expect(refused).toMatchObject({
        value: { refusal: { code: "validation_error", details: { field: expect.stringMatching(/./) } } }
      })
    }),
    { numRuns: BODIES }
  )
})

test("what does not open is nothing, whatever is in it and whoever sealed it", async () => {
  await sodium.ready
  const { publicKey, privateKey } = sodium.crypto_box_keypair()
  const keys = { public_key: publicKey, private_key: privateKey }
  const sealed = (plain: Uint8Array): string =>
    `hxv1.${Buffer.from(sodium.crypto_box_seal(plain, publicKey)).toString("base64")}`
  await fc.assert(
    fc.asyncProperty(BOX, async (text) => {
      expect(await openEntry(text, keys)).toBeNull()
    }),
    { numRuns: 2000 }
  )
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), async (plain) => {
      expect(await openEntry(sealed(plain), keys)).toBeNull()
    }),
    { numRuns: 500 }
  )
  for (const plain of ["null", "1", '"x"', "[]", "[{}]", "{", "", "\ufeff{}x"])
    expect(await openEntry(sealed(Buffer.from(plain)), keys)).toBeNull()
  const box = sealed(Buffer.from('{"v":1}'))
  expect(await openEntry(box, keys)).toEqual({ v: 1 })
  for (const size of [0, 31, 33])
    expect(await openEntry(box, { ...keys, private_key: new Uint8Array(size) })).toBeNull()
})
