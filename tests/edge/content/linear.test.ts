/** What it costs to look for secrets, counted: in proportion to the text, whatever a stranger writes. */
import { randomBytes } from "node:crypto"
import { describe, expect, it } from "vitest"
import { secretIn } from "../../../schemas/secret/secrets.ts"
import { TOKEN_SHAPES } from "../../../schemas/secret/tokens.ts"
import { lettersOf, numbers, tokenOf } from "./made.ts"

const author = { publicKey: randomBytes(32) }

/**
 * Characters that a run looks at: each one that it asks for, and those that it cuts out for a regular expression, which
 * are proven to be linear themselves (ops/check/regular-expressions.ts).
 */
const workOf = (run: () => void): number => {
  let work = 0
  const { prototype } = String
  const { charCodeAt, charAt, startsWith, slice } = prototype
  prototype.charCodeAt = function (this: string, at: number) {
    work++
    return charCodeAt.call(this, at)
  }
  prototype.charAt = function (this: string, at: number) {
    work++
    return charAt.call(this, at)
  }
  prototype.startsWith = function (this: string, searched: string, at?: number) {
    work++
    return startsWith.call(this, searched, at)
  }
  prototype.slice = function (this: string, from?: number, to?: number) {
    const cut = slice.call(this, from, to)
    work += cut.length
    return cut
  }
  try {
    run()
  } finally {
    Object.assign(prototype, { charCodeAt, charAt, startsWith, slice })
  }
  return work
}

const random = numbers(11)
const again = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length)).slice(0, length)

const HOSTILE: ReadonlyArray<string> = [
  " ",
  "a",
  "a ",
  "s ",
  "M-",
  "\n",
  "\\_",
  "=",
  "://",
  "a://b:c",
  "://a:password@b.c ",
  `://${"a".repeat(127)}:${"b".repeat(250)}`,
  `://${"a".repeat(300)}`,
  "-----BEGIN ",
  "-----BEGIN PRIVATE KEY-----",
  `-----BEGIN PRIVATE KEY-----${"a ".repeat(400)}`,
  "-----BEGIN A A A PRIVATE KEY",
  "Private-Lines: ",
  "Private-Lines: 1 ",
  "secret_access_key: ",
  `secret_access_key: ${"a".repeat(41)}`,
  `ghp_${"x".repeat(36)} `,
  "glpat-rotation-without-downtime ",
  `${"a".repeat(42)} `,
  `${"a".repeat(43)} `,
  `${"A".repeat(43)}=`,
  lettersOf(random, "abcdefghijklmnopqrstuvwxyz0123456789", 1_000),
  ...TOKEN_SHAPES.map(({ said }) => said.split("<", 1)[0] ?? "").filter((prefix) => prefix !== ""),
  // Each token but for its last character, one after the other.
  ...TOKEN_SHAPES.map(({ said }) => `${tokenOf(said, random).slice(0, -1)}~ `),
  ...TOKEN_SHAPES.map(({ said }) => tokenOf(said, random).slice(0, -1))
]

/** Of one character: what the longest shape that begins alike can cost. */
const EACH_MAX = 64

describe("the work of a search", () => {
  it.each(HOSTILE.map((text) => [text.slice(0, 60), text] as const))("is in proportion for %j", (_name, text) => {
    const of = (length: number): number =>
      workOf(() => void secretIn([{ field: "body", text: again(text, length) }], author))
    const [one, four] = [of(20_000), of(80_000)]
    expect(four).toBeLessThan(one * 4.2 + 1_000)
    expect(four / 80_000).toBeLessThan(EACH_MAX)
  })

  it("is in proportion for many fields", () => {
    const of = (count: number): number =>
      workOf(
        () =>
          void secretIn(
            Array.from({ length: count }, (_, n) => ({ field: `a.${n}`, text: "ghp_" })),
            author
          )
      )
    expect(of(20_000)).toBeLessThan(of(5_000) * 4.2)
  })
})
