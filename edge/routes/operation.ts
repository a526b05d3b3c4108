/** How a handler is written: it gets its call, fails with refusals, and answers with a response made by respond.ts. */
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { type Call, CurrentCall } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"
import { refused } from "../http/respond.ts"

type Response = HttpServerResponse.HttpServerResponse

export const operation =
  <Request, R>(run: (call: Call, request: Request) => Effect.Effect<Response, Refused, R>) =>
  (request: Request): Effect.Effect<Response, never, R | CurrentCall> =>
    Effect.flatMap(CurrentCall, (call) =>
      Effect.catch(run(call, request), (failed) => Effect.succeed(refused(call, failed.refusal)))
    )
