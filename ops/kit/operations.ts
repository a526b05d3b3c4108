/**
 * The interface's types, written out. The compiler prints the type of this export as it finds it, without the contracts
 * that it was derived from. So those who install the kit get the same types and none of the service.
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
