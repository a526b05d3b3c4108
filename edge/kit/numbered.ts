/** Finds the record of a page by the number in its path. Words after the number are ignored. */
import type { Effect } from "effect"
import { numberIn } from "../../schemas/content/slug.ts"
import { numberOf } from "../content/writing.ts"
import type { Refused } from "../http/refused.ts"

/** The number in a path. Any other text names no resource. */
export const numberedIn = (resource: string, text: string): Effect.Effect<number, Refused> =>
  numberOf(resource, numberIn(text) ?? "")
