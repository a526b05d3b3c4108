/** A refusal as the answer of a query. It is thrown, because a query's result type has no refusal. */
import type { Refusal } from "../../schemas/errors.ts"

export class QueryRefused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}
