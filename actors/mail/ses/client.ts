/** Settings that all clients of AWS share: the region, time limits and tries. */
import type { Limits } from "../../../schemas/limits.ts"

export type ProviderBounds = Pick<
  Limits["service"]["mail"],
  "provider_connect_ms" | "provider_call_ms" | "object_fetch_ms" | "provider_paused_seconds"
>

/**
 * Credentials and addresses come from the SDK's own settings. `maxAttempts` is 1 for calls that send, because a mail
 * that is sent twice is received twice.
 */
export const clientSettings = (region: string, bounds: ProviderBounds, maxAttempts = 1) => ({
  region,
  maxAttempts,
  requestHandler: {
    connectionTimeout: bounds.provider_connect_ms,
    requestTimeout: bounds.provider_call_ms,
    throwOnRequestTimeout: true
  }
})
