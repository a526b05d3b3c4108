/** Refusals of requests with a vault's token. */
import { tokenFailures } from "../envelope.ts"
import type { ErrorCode } from "../errors.ts"

export { tokenFailures }

export const tokenWriteFailures = (...codes: ReadonlyArray<ErrorCode>) =>
  tokenFailures("validation_error", "request_too_large", "idempotency_in_flight", "idempotency_conflict", ...codes)
