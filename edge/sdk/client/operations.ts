/**
 * Each operation of the interface as a function with its name: `operations.reply({ id: 12, body: "…" })`. All fields
 * are in one object, wherever they are sent. The bytes of a file are the field `bytes`.
 */
import { targetOf } from "./address.ts"
import type { Answer } from "./answer.ts"
import type { AnswerTo, CommonOptions, FieldsTo, Method } from "./calls.ts"
import { invalid } from "./errors.ts"
import { OPERATIONS } from "./operation-table.ts"

type Table = typeof OPERATIONS
export type OperationName = keyof Table

type FieldsOf<Name extends OperationName> = FieldsTo<Table[Name]["method"], Table[Name]["path"]>

/** Fields may be omitted if none of them is required. */
type Arguments<Fields> = string extends keyof Fields
  ? [fields?: Fields, options?: CommonOptions]
  : Partial<Fields> extends Fields
    ? [fields?: Fields, options?: CommonOptions]
    : [fields: Fields, options?: CommonOptions]

export type OperationCalls = {
  readonly [Name in OperationName]: (
    ...given: Arguments<FieldsOf<Name>>
  ) => Promise<AnswerTo<Table[Name]["method"], Table[Name]["path"]>>
}

export interface Operation {
  readonly method: Method
  readonly path: string
  readonly query: ReadonlyArray<string>
  readonly body: "none" | "fields" | "bytes"
}

export type LooseFields = Readonly<Record<string, unknown>>

export interface Spread {
  readonly target: string
  readonly body?: unknown
}

const BYTES = "bytes"

const spelled = (name: string, value: unknown): string | number | undefined => {
  if (value === undefined || typeof value === "string" || typeof value === "number") return value
  throw invalid(name, "must be a text or a number")
}

export const spread = ({ path, query, body }: Operation, fields: LooseFields): Spread => {
  const inPath = new Set(path.match(/(?<=:)[a-z_]+/g))
  const inQuery = new Set(query)
  const entries = Object.entries(fields)
  const pick = (names: ReadonlySet<string>) =>
    Object.fromEntries(entries.filter(([name]) => names.has(name)).map(([name, value]) => [name, spelled(name, value)]))
  const target = targetOf(path, pick(inPath), pick(inQuery))
  const rest = entries.filter(([name]) => !inPath.has(name) && !inQuery.has(name))
  if (body === "fields") return { target, body: Object.fromEntries(rest) }
  const unknown = rest.find(([name]) => body !== "bytes" || name !== BYTES)
  if (unknown !== undefined) throw invalid(unknown[0], "is no field of this operation")
  if (body === "none") return { target }
  const bytes = fields[BYTES]
  if (!(bytes instanceof Uint8Array)) throw invalid(BYTES, "must be a Uint8Array")
  return { target, body: bytes }
}

type Request = (method: Method, target: string, options: CommonOptions & { readonly body?: unknown }) => Promise<Answer>

export const operationOf = (name: OperationName): Operation => OPERATIONS[name]

export const isOperation = (name: string): name is OperationName => Object.hasOwn(OPERATIONS, name)

export const operationCalls = (request: Request): OperationCalls =>
  Object.fromEntries(
    Object.entries(OPERATIONS).map(([name, operation]: readonly [string, Operation]) => [
      name,
      async (fields: LooseFields = {}, options: CommonOptions = {}) => {
        const { target, ...body } = spread(operation, fields)
        return request(operation.method, target, { ...options, ...body })
      }
    ])
  ) as unknown as OperationCalls
