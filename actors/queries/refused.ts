/** A query that is answered with a refusal of its own. Thrown: what a query finds has no room for it. */
import type { Refusal } from "../../schemas/errors.ts"

export class QueryRefused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}
