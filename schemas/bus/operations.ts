/**
 * The list of all operations and queries that edges and actors share. Each noun declares its own
 * (`schemas/<noun>/operations.ts`). Roles and the types of asks and answers are derived from it.
 */
import type { Schema } from "effect"
import type { Refusal } from "../errors.ts"
import { joined, partsOf } from "../noun.ts"
import * as nouns from "../nouns.ts"
import type { AskerRole } from "../operation.ts"

export const OPERATIONS = joined(partsOf(nouns, "operations"))
const QUERIES = joined(partsOf(nouns, "queries"))

interface Declared {
  readonly input: Schema.Top
  readonly output: Schema.Top
}

type Types<All extends Readonly<Record<string, Declared>>> = {
  readonly [Name in keyof All]: {
    readonly input: All[Name]["input"]["Type"]
    readonly output: All[Name]["output"]["Type"]
  }
}

export type Operations = Types<typeof OPERATIONS>
export type OperationName = keyof Operations
export type Queries = Types<typeof QUERIES>
export type QueryName = keyof Queries

type OfKind<Kind extends string> = {
  readonly [
    Name in OperationName as (typeof OPERATIONS)[Name]["kind"] extends Kind ? Name : never
  ]: (typeof OPERATIONS)[Name]
}

/** All operations of a kind of actor, whichever nouns declare them. */
export const operationsOfKind = <const Kind extends string>(kind: Kind): OfKind<Kind> =>
  Object.fromEntries(Object.entries(OPERATIONS).filter(([, declared]) => declared.kind === kind)) as OfKind<Kind>

/** True if this role may send the operation. */
export const isAskedBy = (role: AskerRole, op: string): boolean =>
  Object.hasOwn(OPERATIONS, op) && OPERATIONS[op as OperationName].askedBy.includes(role)

/** The answer to a query on the bus, as JSON: the data, or a refusal. */
export type QueryReply<T> = { readonly ok: true; readonly data: T } | { readonly ok: false; readonly refused: Refusal }
