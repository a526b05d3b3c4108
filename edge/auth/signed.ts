/** A request as it came, and what this installation is called: what a signature is held against. */

export interface SignedRequest {
  readonly method: string
  readonly target: string
  readonly body: Uint8Array
  /** Lower-case hex. */
  readonly bodySha256: string
  /** The request's `Host` header: only ever used to explain a failure. */
  readonly hostHeader: string | undefined
}

export interface VerifierConfig {
  readonly hosts: ReadonlyArray<string>
  /** Path of the installation's base address, without a trailing slash; empty for a root installation. */
  readonly basePath: string
  readonly v1Until: number
}
