/** A refusal on its way up through an Effect; turned into an answer where the call ends. */
import { Data } from "effect"
import type { Refusal } from "../../schemas/errors.ts"

export class Refused extends Data.TaggedError("Refused")<{ readonly refusal: Refusal }> {}

export const refuse = (refusal: Refusal): Refused => new Refused({ refusal })
