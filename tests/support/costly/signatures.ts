/** Header fields of 200,000 characters that are most costly to unfold and trim. */
import { parseDictionary, type InnerList } from "structured-headers"
import { signatureBase } from "../../../edge/identity/http-signature.ts"
import type { Costly } from "../cost.ts"

const LENGTH = 200_000

export const coveredOf = (text: string): InnerList => parseDictionary(`s=${text}`).get("s") as InnerList

export const lineOf = (value: string): string | null =>
  signatureBase(coveredOf('("x")'), { fields: new Map([["x", value]]) })
    ?.split("\n")
    .slice(0, -1)
    .join("\n") ?? null

const field = (name: string, valueOf: (length: number) => string): Costly => ({
  name,
  length: LENGTH,
  prepare: (length) => {
    const value = valueOf(length)
    return () => lineOf(value)
  }
})

export const FIELDS: ReadonlyArray<Costly> = [
  field("one word", (length) => "a".repeat(length)),
  field("spaces", (length) => `a${" ".repeat(length)}b`),
  field("tabs and spaces", (length) => `a${"\t ".repeat(length / 2)}b`),
  field("folds", (length) => `a${"\r\n ".repeat(length / 3)}b`)
]
