/** What whoever asks with a vault's token is refused with. */
import { personFailures } from "../envelope.ts"
import type { ErrorCode } from "../errors.ts"

/** Of a vault's token; what else it can meet is told by those of signatures. */
export const tokenFailures = (...codes: ReadonlyArray<ErrorCode>) =>
  personFailures("authentication_required", "token_invalid", "agent_suspended", ...codes)

export const tokenWriteFailures = (...codes: ReadonlyArray<ErrorCode>) =>
  tokenFailures("validation_error", "request_too_large", "idempotency_in_flight", "idempotency_conflict", ...codes)
