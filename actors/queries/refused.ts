/** A query that is answered with a refusal of its own. It is thrown, since a query's result type has no refusal. */
import type { Refusal } from "../../schemas/errors.ts"

export class QueryRefused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}
