/** The data that a signature is checked against: the request as it arrived, and this installation's names. */

export interface SignedRequest {
  readonly method: string
  readonly target: string
  readonly body: Uint8Array
  /** Lower-case hex. */
  readonly bodySha256: string
  /** The request's `Host` header. It is used only to explain a failure. */
  readonly hostHeader: string | undefined
}

export interface VerifierConfig {
  readonly hosts: ReadonlyArray<string>
  /** The path of the installation's address, without a trailing slash. Empty for an installation at the root. */
  readonly basePath: string
  readonly v1Until: number
}
