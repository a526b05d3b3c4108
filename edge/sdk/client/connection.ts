/** The settings of connections to the service. */
import { hubAddress } from "./address.ts"
import { ANSWER_MAX_BYTES, RETRY, type RetryOptions, TIMEOUT_MS, type TransportOptions } from "./transport.ts"

export interface ConnectionOptions {
  /** The service's address, with the path of the installation if it has one. */
  readonly hub: string
  /** The service's own host name, if it is reached by another one. */
  readonly host?: string
  /**
   * Allows http to another machine than this one. Off by default, because requests and answers could be read on the
   * network.
   */
  readonly allowHttp?: boolean
  readonly fetch?: typeof fetch
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** The timeout of each try. */
  readonly timeoutMs?: number
  readonly maxAnswerBytes?: number
  readonly retry?: Partial<RetryOptions>
}

export const transportOf = (options: ConnectionOptions): TransportOptions => ({
  address: hubAddress(options.hub, options.host, options.allowHttp === true),
  fetch: options.fetch ?? ((input, init) => fetch(input, init)),
  now: options.now ?? Date.now,
  retry: { ...RETRY, ...options.retry },
  timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
  maxAnswerBytes: options.maxAnswerBytes ?? ANSWER_MAX_BYTES
})
