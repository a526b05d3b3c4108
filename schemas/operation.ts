/**
 * Declares an operation of an actor or a query of the read models: its input, its output and who may ask it.
 *
 * Invariants
 *  - Only the named roles may ask. Actors may ask each other, and operators may ask all of them, without being named.
 *  - Inputs have passed the asker's own checks. Outputs are the `data` of the envelope unless a comment says otherwise.
 *    Schemas declare the types of both. Data from another node of the service is not decoded a second time.
 */
import { Schema } from "effect"

/** Roles of the bus that may call only operations that name them. */
export type AskerRole = "edge" | "webhooks" | "mail" | "keeper" | "runtime"

export interface Operation<Input extends Schema.Top = Schema.Top, Output extends Schema.Top = Schema.Top> {
  readonly input: Input
  readonly output: Output
  readonly askedBy: ReadonlyArray<AskerRole>
}

export const op = <Input extends Schema.Top, Output extends Schema.Top>(
  declared: Operation<Input, Output>
): Operation<Input, Output> => declared

/** For an operation without input or output. */
export const Nothing = Schema.Null

/** Operations of one kind of actor, by their names. */
export const operationsOf = <const Kind extends string, const Ops extends Readonly<Record<string, Operation>>>(
  kind: Kind,
  ops: Ops
): { readonly [Name in keyof Ops]: Ops[Name] & { readonly kind: Kind } } =>
  Object.fromEntries(Object.entries(ops).map(([name, declared]) => [name, { ...declared, kind }])) as unknown as {
    readonly [Name in keyof Ops]: Ops[Name] & { readonly kind: Kind }
  }

export interface Query<Input extends Schema.Top = Schema.Top, Output extends Schema.Top = Schema.Top> {
  readonly input: Input
  readonly output: Output
}

export const query = <Input extends Schema.Top, Output extends Schema.Top>(
  declared: Query<Input, Output>
): Query<Input, Output> => declared

/** One page of a list, and the total number of items. */
export const paged = <Item extends Schema.Top>(item: Item) =>
  Schema.Struct({ items: Schema.Array(item), total: Schema.Int })

export interface Paged<T> {
  readonly items: ReadonlyArray<T>
  readonly total: number
}
