/** Whatever the kinds declare as sealed is masked, in every event and every state, wherever it stands in it. */
import type { SchemaAST } from "effect"
import { Schema } from "effect"
import { describe, expect, test } from "vitest"
import { KINDS } from "../../actors/process/kinds.ts"
import { Sealer } from "../../actors/log/seal.ts"
import { boxesOf } from "../../actors/runtime/boxes.ts"
import { Masker } from "../../ops/replay/masks.ts"

type Sample = Readonly<Record<string, unknown>> | ReadonlyArray<unknown> | string

/** A text of the declaration: its way from the top, and what it is sealed as. */
interface Leaf {
  readonly way: ReadonlyArray<string>
  readonly sealed: unknown
}

const ITEM = "[]"

/** Of records and tuples too; what refers to itself is gone into once. */
const leavesOf = (ast: SchemaAST.AST, way: ReadonlyArray<string>, above: ReadonlySet<unknown>): ReadonlyArray<Leaf> => {
  if (above.has(ast)) return []
  const into = (next: SchemaAST.AST, ...step: ReadonlyArray<string>) =>
    leavesOf(next, [...way, ...step], new Set([...above, ast]))
  switch (ast._tag) {
    case "String":
      return [{ way, sealed: ast.annotations?.["sealed"] }]
    case "Union":
      return ast.types.flatMap((one) => into(one))
    case "Arrays":
      return [...ast.elements, ...ast.rest].flatMap((one) => into(one, ITEM))
    case "Objects":
      return [
        ...ast.propertySignatures.flatMap(({ name, type }) => into(type, String(name))),
        ...ast.indexSignatures.flatMap(({ type }) => into(type, "any"))
      ]
    default:
      return []
  }
}

const declared = KINDS.flatMap(({ fold, state, events }) => [
  { of: `state of ${fold.kind}`, ast: Schema.toEncoded(state).ast },
  ...(events?.members ?? []).map((one) => ({
    of: `${one.fields.type.literal} ${one.fields.v.literal}`,
    ast: Schema.toEncoded(one).ast
  }))
]).map(({ of, ast }) => ({ of, leaves: leavesOf(ast, [], new Set()) }))

const under = (way: ReadonlyArray<string>, text: string): Sample =>
  way.reduceRight<Sample>((inner, step) => (step === ITEM ? [inner] : { [step]: inner }), text)

const sealer = new Sealer(new Uint8Array(32))
const boxes = await boxesOf(new Uint8Array(32))
/** The shortest that there is: it says for what it is, of a compartment, and a name of one character. */
const SAMPLES: Readonly<Record<string, string>> = {
  sealed: sealer.seal("", "a test"),
  box: boxes.seal("", `cmp_${"0".repeat(20)}`, "A")
}

describe("what is declared sealed", () => {
  const sealed = declared.flatMap(({ of, leaves }) =>
    leaves.flatMap(({ way, sealed: as }) => (as === undefined ? [] : [{ of, way: way.join("."), at: way, as }]))
  )

  test("is found, of both sorts", () => {
    expect(new Set(sealed.map(({ as }) => as))).toEqual(new Set(Object.keys(SAMPLES)))
    expect(sealed.map(({ of, way }) => `${of}: ${way}`)).toEqual(
      expect.arrayContaining([
        "state of compartment: hub_key",
        "state of compartment: uploads.[].key",
        "compartment.changed 1: set.[].box",
        "mail.received 1: envelope"
      ])
    )
  })

  test.each(sealed)("$of: $way", ({ at, as }) => {
    const text = SAMPLES[String(as)] ?? ""
    const masked = JSON.stringify(new Masker().mask(under(at, text)))
    expect(masked).not.toContain(text)
    expect(masked).toContain("[secret 1]")
  })

  test("is so by its declaration wherever its name says it", () => {
    const said = /^(sealed|box|hub_key|.*_secret)$/
    const plain = declared.flatMap(({ of, leaves }) =>
      leaves
        .filter(({ way, sealed: as }) => as === undefined && said.test(way.findLast((step) => step !== ITEM) ?? ""))
        .map(({ way }) => `${of}: ${way.join(".")}`)
    )
    expect(plain).toEqual([])
  })
})

describe("what is no box", () => {
  test("stays: hashes, signatures, public keys of any length, words", () => {
    const shown = {
      sha256: "a".repeat(64),
      sha512: "b".repeat(128),
      signature: `${"c".repeat(86)}==`,
      public_key: "d".repeat(392),
      body: "words ".repeat(60)
    }
    expect(new Masker().mask(shown)).toEqual(shown)
  })
})
