/** Records that pages find by their number, whatever words stand behind it. */
import type { Effect } from "effect"
import { numberIn } from "../../schemas/content/slug.ts"
import { numberOf } from "../content/writing.ts"
import type { Refused } from "../http/refused.ts"

/** Of a path; what has no such shape is no resource. */
export const numberedIn = (resource: string, text: string): Effect.Effect<number, Refused> =>
  numberOf(resource, numberIn(text) ?? "")
