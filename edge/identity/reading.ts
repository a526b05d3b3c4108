/** Reads a website's report of a request, and the claim in it, for every scheme. */
import type { IdentityProof } from "../../schemas/identity/operations.ts"
import type { VerifyReason } from "../../schemas/identity/reasons.ts"
import type { VerifyScheme } from "../../schemas/identity/records.ts"
import { normaliseHost } from "../../schemas/signing/request.ts"

export interface Report {
  readonly method: string
  readonly host: string
  /** The request target as the website received it. */
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
}

export type Reading =
  | { readonly kind: "verdict"; readonly scheme: VerifyScheme; readonly reason: VerifyReason; readonly message: string }
  | {
      readonly kind: "claim"
      readonly scheme: VerifyScheme
      readonly number: string
      readonly proof: IdentityProof | null
    }

/** The service's own addresses, which `Signature-Agent` may begin with: base address and hosts. */
export interface OwnNames {
  readonly baseUrl: string
  readonly hosts: ReadonlyArray<string>
}

const HOST_MAX_CHARS = 255

export const hostLine = (host: string): string | null => (host.length > HOST_MAX_CHARS ? null : normaliseHost(host))
