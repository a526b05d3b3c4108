/**
 * Checks the lengths of a body's arrays before any of their items, because a schema decodes all items before it reports
 * that there are too many.
 */
import type { Schema, SchemaAST } from "effect"
import { aboveMax, type Refusal } from "../../schemas/errors.ts"
import { boundsOf } from "./bounds.ts"

type CheckLength = (value: unknown, path: string) => Refusal | null

interface Bound {
  readonly max: number
  readonly message: string
}

/** The bound that an array declares by `Schema.isMaxLength`; `null` if it has none. */
const boundOf = ({ checks }: SchemaAST.AST): Bound | null => {
  for (const check of checks ?? []) {
    const { max } = boundsOf(check)
    if (max !== null)
      return { max, message: String(check.annotations?.["message"] ?? `must hold at most ${max} items`) }
  }
  return null
}

const lookAt = (ast: SchemaAST.AST): CheckLength | null => {
  if (ast._tag === "Objects") return lookAtFields(ast)
  if (ast._tag === "Arrays") return lookAtItems(ast)
  if (ast._tag !== "Union") return null
  const looks = ast.types.map(lookAt).filter((look) => look !== null)
  const [only] = looks
  if (looks.length > 1) throw new Error("Which member's bounds hold is not known before it is decoded")
  return only ?? null
}

const joined = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`)

const lookAtFields = ({ propertySignatures }: SchemaAST.Objects): CheckLength | null => {
  const fields = propertySignatures.flatMap(({ name, type }) => {
    const look = lookAt(type)
    return look === null ? [] : [{ name: String(name), look }]
  })
  if (fields.length === 0) return null
  return (value, path) => {
    if (typeof value !== "object" || value === null) return null
    for (const { name, look } of fields) {
      const found = look((value as Readonly<Record<string, unknown>>)[name], joined(path, name))
      if (found !== null) return found
    }
    return null
  }
}

const lookAtItems = (ast: SchemaAST.Arrays): CheckLength => {
  const bound = boundOf(ast)
  if (bound === null) throw new Error("An array of a body needs a bound, see Schema.isMaxLength")
  const [item] = ast.rest
  const inner = item === undefined ? null : lookAt(item)
  return (value, path) => {
    if (!Array.isArray(value)) return null
    if (value.length > bound.max) return aboveMax(path, `${path} ${bound.message}.`, bound.max)
    if (inner === null) return null
    for (const [index, one] of value.entries()) {
      const found = inner(one, `${path}.${index}`)
      if (found !== null) return found
    }
    return null
  }
}

/**
 * Returns a check that gives `null` if all arrays are short enough. Throws at once for a schema with an array that has
 * no bound.
 */
export const lengthsOf = (schema: Schema.Constraint): ((value: unknown) => Refusal | null) => {
  const look = lookAt(schema.ast)
  return (value) => look?.(value, "") ?? null
}
