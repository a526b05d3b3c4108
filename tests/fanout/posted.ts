/** A POST with the end that a worker gives it. */
import { Effect } from "effect"
import { outcomeOf, type Poster, type PostOutcome } from "../../actors/fanout/post.ts"
import { LIMITS, type Limits } from "../../schemas/limits.ts"

interface Posting {
  readonly headers?: Readonly<Record<string, string | number>>
  readonly body?: Buffer
  readonly limits?: Limits["webhook"]
}

export const posted = (
  poster: Poster,
  address: string,
  { headers = {}, body = Buffer.from("{}"), limits = LIMITS.webhook }: Posting = {}
): Promise<PostOutcome> => Effect.runPromise(outcomeOf(poster.post(address, headers, body), limits))
