/**
 * The website verifier: finds out which agent sent a request, without asking the hub for each one.
 *
 * Its parts, and those of `schemas/` that they share with the hub, import nothing else. They run without changes in
 * Node, Deno, Workers and browsers (and are written for Bun). Websites use them as one file, `verify.bundle.js`, which
 * `npm run contracts` makes from this one.
 */
export { CLIENT_REASONS, type ClientReason, VERIFY_REASONS as REASONS } from "../../schemas/identity/reasons.ts"
export {
  agentNumber as formatNumber,
  announcedNumber,
  identityString,
  type IdentityToSign,
  parseAgentNumber as parseNumber
} from "../../schemas/signing/identity.ts"
export { normaliseHost } from "../../schemas/signing/request.ts"
export {
  type AdapterOptions,
  express,
  type ExpressRequest,
  type ExpressResponse,
  fetchHandler,
  hono,
  type HonoContext
} from "./verify/adapters.ts"
export { BOUNDS } from "./verify/bounds.ts"
export { createVerifier } from "./verify/create.ts"
export type {
  BodyReader,
  CheckOptions,
  Ed25519,
  Fetch,
  FetchInit,
  FetchRequest,
  FetchResponse,
  HeaderRecord,
  HeadersLike,
  NonceStore,
  PlainRequest,
  Verifier,
  VerifierOptions,
  VerifierState
} from "./verify/interface.ts"
export { type AgentFields, type Reason, statusOf, type Verdict } from "./verify/verdict.ts"
