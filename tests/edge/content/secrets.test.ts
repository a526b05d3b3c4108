/** Secrets in what agents send are found wherever they stand, and never told. */
import { createPrivateKey, createPublicKey, randomBytes } from "node:crypto"
import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { secretIn, secretRefusal, STEP_CHARS, type TextField } from "../../../schemas/secret/secrets.ts"
import { textOfFile, textsOf } from "../../../edge/content/texts.ts"
import { withoutSecrets } from "../../../edge/content/secrets.ts"
import { turns } from "../../../edge/http/turns.ts"
import { scanJson } from "../../../edge/http/json-scan.ts"
import { TOKEN_SHAPES } from "../../../schemas/secret/tokens.ts"
import { BY_HAND, lettersOf, MORE_PEM, numbers, PEM, tokenOf } from "./made.ts"

const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex")

const newAuthor = () => {
  const seed = randomBytes(32)
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: "der", type: "pkcs8" })
  const publicKey = createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(-32)
  return { seed, publicKey }
}

const author = newAuthor()
const kindIn = (text: string): string | null => secretIn([{ field: "body", text }], author)?.kind ?? null

const WORDS = "An agent asks another one what a key is, and how one signs: https://hub.site/docs#signing (see `code`). "
const LONG = WORDS.repeat(400)

const PLACES: ReadonlyArray<readonly [string, (secret: string) => string]> = [
  ["alone", (secret) => secret],
  ["at the start", (secret) => `${secret} is what I got`],
  ["at the end", (secret) => `what I got is ${secret}`],
  ["in the middle of a long text", (secret) => `${LONG}${secret} ${LONG}`],
  ["in a block of code", (secret) => `So:\n\n\`\`\`sh\nexport KEY=${secret}\n\`\`\`\n`],
  ["in code", (secret) => `use \`${secret}\` for it`],
  ["in bold", (secret) => `it is **${secret}**!`],
  ["as a string of JSON", (secret) => `{"key":"${secret}","n":1}`],
  ["in brackets", (secret) => `it (${secret}), or <${secret}>`],
  ["behind a name", (secret) => `MY_KEY=${secret}\nOTHER=1`],
  ["in a table", (secret) => `| key | value |\n|---|---|\n| mine | ${secret} |`],
  ["on a line of Windows", (secret) => `so\r\n${secret}\r\nis it`]
]

describe("a token", () => {
  it.each(TOKEN_SHAPES.map(({ kind, said }) => [kind, said] as const))("of %s is found: %s", (kind, said) => {
    const random = numbers(said.length)
    for (let round = 0; round < 30; round++) {
      const token = tokenOf(said, random, round % 5)
      expect([kindIn(`it is ${token} here`), token]).toEqual([kind, token])
    }
  })

  it.each(BY_HAND)("as its maker shows it is found: %s %s…", (kind, ...parts) => {
    expect(kindIn(parts.join(""))).toBe(kind)
    expect(kindIn(`see ${parts.join("")}\n`)).toBe(kind)
  })

  it.each(PLACES)("is found %s", (_name, placed) => {
    for (const said of ["ghp_<base62 36>", "glpat-<base64url 20+>", "AKIA<base32 16>", "hxh_<base64url 20+>"]) {
      const random = numbers(said.length)
      for (let round = 0; round < 5; round++) expect(kindIn(placed(tokenOf(said, random)))).not.toBeNull()
    }
  })

  it.each(["hxh\\_", "ghp\\_"])("is found with the backslashes of markdown: %s", (prefix) => {
    expect(kindIn(`it is ${prefix}${lettersOf(numbers(7), "abcdefghijklmnopABCDEFGHI0123456789", 36)}`)).not.toBeNull()
  })

  it("is found wherever steps of the search meet", () => {
    const token = `ghp_${"wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"}`
    for (let back = 0; back <= token.length + 1; back++) {
      const text = `${"a ".repeat(STEP_CHARS).slice(0, STEP_CHARS - back)} ${token} b`
      expect(kindIn(text), String(back)).toBe("github_token")
    }
  })

  it("is found behind a placeholder", () => {
    const [, start = "", end = ""] = BY_HAND.find(([kind]) => kind === "github_token") ?? []
    expect(kindIn(`not ghp_${"x".repeat(36)} but ${start}${end}`)).toBe("github_token")
  })
})

describe("a private key", () => {
  it.each([...PEM, ...MORE_PEM].map((text) => [text.slice(0, 80), text] as const))("%j", (_name, text) => {
    expect(kindIn(`my key:\n\n${text}`)).toBe("private_key")
    expect(kindIn(text)).toBe("private_key")
  })

  it("without its first line, as PKCS #8 in base64", () => {
    expect(kindIn(Buffer.concat([PKCS8, randomBytes(32)]).toString("base64"))).toBe("private_key")
  })
})

describe("the author's own seed", () => {
  const whole = Buffer.concat([author.seed, author.publicKey])
  const forms = [author.seed, whole].flatMap((bytes) => [
    bytes.toString("base64"),
    bytes.toString("base64").replaceAll("=", ""),
    bytes.toString("base64url"),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase()
  ])

  it.each(PLACES)("is found in each of its forms %s", (_name, placed) => {
    for (const form of forms) expect([form, kindIn(placed(form))]).toEqual([form, "own_seed"])
  })

  it("is found in an address, whatever it is made of", () => {
    for (let round = 0; round < 50; round++) {
      const { seed, publicKey } = newAuthor()
      for (const text of [
        `seed=${seed.toString("base64")}`,
        `https://hub.site/${seed.toString("base64url")}?a=1`,
        `https://hub.site/seeds/${seed.toString("base64").replace("=", "")}`,
        `${"A1b2".repeat(2000)}/${seed.toString("base64")}`
      ])
        expect(secretIn([{ field: "body", text }], { publicKey })?.kind, text).toBe("own_seed")
    }
  })

  it("is known by a public key in base64 as well", () => {
    const found = secretIn([{ field: "body", text: author.seed.toString("hex") }], {
      publicKey: author.publicKey.toString("base64")
    })
    expect(found).toEqual({ field: "body", kind: "own_seed" })
  })

  it("of another, a public key and a hash are none", () => {
    const other = newAuthor()
    for (const bytes of [other.seed, other.publicKey, author.publicKey, randomBytes(32), randomBytes(64)])
      for (const encoding of ["base64", "base64url", "hex"] as const)
        expect(kindIn(bytes.toString(encoding))).toBeNull()
  })

  it("is looked for among a bounded number of words", () => {
    const hashes = Array.from({ length: 300 }, () => randomBytes(32).toString("hex")).join("\n")
    expect(kindIn(`${hashes.slice(0, 65 * 200)}${author.seed.toString("hex")}`)).toBe("own_seed")
    expect(kindIn(`${hashes}\n${author.seed.toString("hex")}`)).toBeNull()
  })
})

describe("what is told", () => {
  const secrets = [...BY_HAND.map(([, ...parts]) => parts.join("")), ...MORE_PEM, author.seed.toString("base64")]

  it("names the field, of several the one in which it stands", () => {
    const fields = ["title", "body", "tags.0"].map((field) => ({ field, text: WORDS }))
    for (const secret of secrets)
      for (const [index, { field }] of fields.entries()) {
        const sent = fields.with(index, { field, text: `${WORDS}\n${secret}` })
        expect(secretIn(sent, author)?.field).toBe(field)
      }
    expect(secretIn(fields, author)).toBeNull()
    expect(secretIn([], author)).toBeNull()
  })

  it("never holds the secret, nor does the refusal, wherever in data it stands", () => {
    const place = fc.constantFrom(
      (secret: string) => ({ list: [1, { text: `so ${secret}` }] }),
      (secret: string) => ({ [secret]: true }),
      (secret: string) => ({ a: { [secret]: { [secret]: secret } } }),
      (secret: string) => [[[secret]]],
      (secret: string) => ({ a: WORDS, [`${secret} `]: { b: ["x", secret] } })
    )
    fc.assert(
      fc.property(fc.constantFrom(...secrets), place, (secret, placed) => {
        const found = secretIn(textsOf("data", placed(secret)), author)
        expect(found).not.toBeNull()
        if (found === null) return
        const told = JSON.stringify(secretRefusal(found))
        expect(told).not.toContain(secret)
        expect(told).not.toContain(JSON.stringify(secret).slice(1, -1))
        expect(found.field.startsWith("data")).toBe(true)
      })
    )
  })

  it("is a field's outermost name where its path holds a secret, or is long", () => {
    const [, start = "", end = ""] = BY_HAND.find(([kind]) => kind === "github_token") ?? []
    const token = `${start}${end}`
    for (const name of [token, token.replace("_", "\\_"), "a".repeat(200), author.seed.toString("base64url")])
      expect(secretIn([{ field: `data.${name}.x`, text: token }], author)?.field).toBe("data")
  })

  it("no two fields make one secret", () => {
    const [, start = "", end = ""] = BY_HAND.find(([kind]) => kind === "github_token") ?? []
    const cut = (at: number): ReadonlyArray<TextField> => [
      { field: "a", text: `${start}${end}`.slice(0, at) },
      { field: "b", text: `${start}${end}`.slice(at) }
    ]
    for (let at = 1; at < `${start}${end}`.length; at++) expect(secretIn(cut(at), author)).toBeNull()
  })
})

describe("a refusal", () => {
  const token = `ghp_${"wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"}`

  it("is 422 content_secret with field and kind", async () => {
    const { refusal } = await Effect.runPromise(
      Effect.flip(withoutSecrets([{ field: "body", text: `it is ${token}` }], author, turns.next("ada")))
    )
    expect([refusal.code, refusal.details]).toEqual(["content_secret", { field: "body", kind: "github_token" }])
    await Effect.runPromise(withoutSecrets([{ field: "body", text: WORDS }], author, turns.next("ada")))
  })

  it("of a long text lets others go on meanwhile", async () => {
    let rounds = 0
    const turn = (): void => {
      rounds++
      timer = setImmediate(turn)
    }
    let timer = setImmediate(turn)
    const text = LONG.repeat(10)
    await Effect.runPromise(withoutSecrets([{ field: "body", text }], author, turns.next("ada")))
    clearImmediate(timer)
    expect(rounds).toBeGreaterThan(text.length / STEP_CHARS / 2)
  })
})

describe("texts of data", () => {
  it("are its strings and names, in their order, with their paths", () => {
    const value = { a: "x", b: [1, null, "y", { c: "z" }], d: {}, e: true }
    const texts = [...textsOf("data", value)].map(({ field, text }) => `${field}: ${text}`)
    const names = ["a", "b", "d", "e"].map((name) => `data: ${name}`)
    expect(texts).toEqual([...names, "data.a: x", "data.b.2: y", "data.b.3: c", "data.b.3.c: z"])
    expect([...textsOf("title", "x")]).toEqual([{ field: "title", text: "x" }])
    expect([...textsOf("data", null), ...textsOf("data", undefined), ...textsOf("data", 5)]).toEqual([])
  })

  it("are walked in bounds: what no body can hold throws", () => {
    const nested = (depth: number): unknown => (depth === 0 ? "x" : [nested(depth - 1)])
    expect([...textsOf("data", nested(64))]).toHaveLength(1)
    expect(() => [...textsOf("data", nested(65))]).toThrow(RangeError)
    expect([
      ...textsOf(
        "data",
        Array.from({ length: 20_000 }, () => "x")
      )
    ]).toHaveLength(20_000)
    expect(() => [
      ...textsOf(
        "data",
        Array.from({ length: 20_001 }, () => "x")
      )
    ]).toThrow(RangeError)
  })

  it("are not too many for the walk where the scan of a body finds them few enough", () => {
    const ones = (count: number): ReadonlyArray<number> => Array.from({ length: count }, () => 1)
    const values = [19_998, 19_999, 20_000].flatMap((count) => [
      ones(count),
      [...ones(count), []],
      [...ones(count), [1]],
      [...ones(count), { a: 1 }],
      [[1], ...ones(count)]
    ])
    const walked = values.filter((value) => scanJson(Buffer.from(JSON.stringify(value))).beyond === null)
    expect(walked.length).toBeGreaterThan(3)
    for (const value of walked) expect(() => [...textsOf("data", value)]).not.toThrow()
  })

  it("of a file are taken where it is one of text, and short enough", () => {
    expect(textOfFile(Buffer.from("é\nb"))).toBe("é\nb")
    expect(textOfFile(Buffer.alloc(1_048_576, "a"))).toHaveLength(1_048_576)
    expect(textOfFile(Buffer.alloc(1_048_577, "a"))).toBeNull()
    expect(textOfFile(Buffer.from([0x89, 0x50, 0x4e, 0x47]))).toBeNull()
    expect(textOfFile(Buffer.from("a\0b"))).toBeNull()
  })
})
