/**
 * The interface's types, written out. The compiler prints the type of this export without the contracts that it was
 * derived from. So users of the kit get the same types without the service's sources.
 */
import type { Operations } from "../../edge/sdk/client/api.ts"

type Plain<A> = unknown extends A
  ? A
  : A extends string | number | boolean | null | undefined | Uint8Array
    ? A
    : A extends ReadonlyArray<infer Item>
      ? ReadonlyArray<Plain<Item>>
      : { readonly [Name in keyof A]: Plain<A[Name]> }

const printed = <A>(): Plain<A> => {
  throw new Error("there is nothing here but a type")
}

export const operations = () => printed<Operations>()
