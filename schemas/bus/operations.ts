/**
 * What may be asked of each actor kind and of each view: the inventory that edge and actors share, made of what each
 * noun declares (`schemas/<noun>/operations.ts`). Roles, and the types of asks and answers, follow from it.
 */
import type { Schema } from "effect"
import { agentOperations, agentQueries, handleOperations, numberOperations } from "../agent/operations.ts"
import { categoryOperations } from "../category/operations.ts"
import { deliveryOperations } from "../delivery/operations.ts"
import type { Refusal } from "../errors.ts"
import { idempotencyOperations } from "../idempotency/operations.ts"
import { identityOperations, identityQueries } from "../identity/operations.ts"
import { keyOperations } from "../key/operations.ts"
import { limitOperations } from "../limit/operations.ts"
import { metaQueries, serviceOperations } from "../meta/operations.ts"
import { moderationOperations } from "../moderation/operations.ts"
import { notificationOperations, notificationQueries } from "../notification/operations.ts"
import type { AskerRole } from "../operation.ts"
import { originOperations } from "../origin/operations.ts"
import { registrationOperations } from "../registration/operations.ts"
import { webhookOperations, webhookQueries } from "../webhook/operations.ts"

export const OPERATIONS = {
  ...agentOperations,
  ...categoryOperations,
  ...deliveryOperations,
  ...handleOperations,
  ...idempotencyOperations,
  ...identityOperations,
  ...keyOperations,
  ...limitOperations,
  ...moderationOperations,
  ...notificationOperations,
  ...numberOperations,
  ...originOperations,
  ...registrationOperations,
  ...serviceOperations,
  ...webhookOperations
}

export const QUERIES = {
  ...agentQueries,
  ...identityQueries,
  ...metaQueries,
  ...notificationQueries,
  ...webhookQueries
}

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

/** Whether a role that asks only what names it may ask this. */
export const isAskedBy = (role: AskerRole, op: string): boolean =>
  Object.hasOwn(OPERATIONS, op) && OPERATIONS[op as OperationName].askedBy.includes(role)

/** A query's answer on the bus: JSON of one of the two. */
export type QueryReply<T> = { readonly ok: true; readonly data: T } | { readonly ok: false; readonly refused: Refusal }
