/**
 * Judges requests on this machine.
 *
 * Invariants
 *  - A request is judged against the website's configured host names, never against its own `Host` header.
 *  - The order of the checks decides the reason. It is the one that the hub would give, except for `CLIENT_REASONS`,
 *    which only this side gives.
 *  - A nonce is remembered only if its signature is valid. If it cannot be remembered, the request is refused.
 */
import { CLIENT_REASONS, type ClientReason } from "../../../schemas/identity/reasons.ts"
import { announcedNumber, identityString, parseAgentNumber } from "../../../schemas/signing/identity.ts"
import { NONCE_PATTERN, TIMESTAMP_PATTERN } from "../../../schemas/signing/request.ts"
import { BOUNDS } from "./bounds.ts"
import type { HubClock } from "./clock.ts"
import type { Identity } from "./identity.ts"
import type { NonceStore } from "./interface.ts"
import type { NonceMemory } from "./nonces.ts"
import { HEADER_NAMES, type ProofHeaders, readFields, type Request, WEB_BOT_AUTH_HEADERS } from "./request.ts"
import type { Settings } from "./settings.ts"
import type { Signatures, Signer } from "./signatures.ts"
import type { Found, Source } from "./source.ts"
import { type AgentFields, ANNOUNCED, GENUINE, NO_AGENT, notSupported, refuse, type Verdict } from "./verdict.ts"
import { within } from "./within.ts"

/** Does not use `instanceof`, because some pages replace the language's Promise. */
const isLater = <A>(value: A | Promise<A>): value is Promise<A> =>
  typeof (value as { readonly then?: unknown } | null)?.then === "function"

const isClientReason = (found: Found): found is ClientReason =>
  (CLIENT_REASONS as ReadonlyArray<unknown>).includes(found)

const isWebBotAuth = ({ headers }: Request): boolean => {
  const [agent = null, input = null] = readFields(headers, WEB_BOT_AUTH_HEADERS)
  return agent !== null || input?.includes('tag="web-bot-auth"') === true
}

interface Proof {
  readonly number: number
  readonly id: string
  readonly headers: ProofHeaders
  readonly request: Request
}

type NonceFault = "replayed" | "cache_unavailable" | null

const conclusion = (fault: NonceFault, id: string, fields: AgentFields): Verdict =>
  fault === null ? { valid: true, reason: null, scheme: "hub-id", id, ...fields } : refuse(fault, id, fields)

/** Checks are synchronous if possible: a promise for every step would cost a tenth of a verification. */
export class LocalJudge {
  readonly nonces: NonceMemory
  private readonly source: Source
  private readonly clock: HubClock
  private readonly settings: Settings
  private readonly signatures: Signatures
  private readonly store: NonceStore | undefined

  constructor(
    settings: Settings,
    source: Source,
    clock: HubClock,
    options: { readonly signatures: Signatures; readonly nonces: NonceMemory; readonly store: NonceStore | undefined }
  ) {
    this.settings = settings
    this.source = source
    this.clock = clock
    this.signatures = options.signatures
    this.nonces = options.nonces
    this.store = options.store
  }

  judge(request: Request): Verdict | Promise<Verdict> {
    const [id = null, timestamp = null, nonce = null, signature = null, userAgent = null] = readFields(
      request.headers,
      HEADER_NAMES
    )
    if (id === null && timestamp === null && nonce === null && signature === null)
      return isWebBotAuth(request) ? { ...notSupported } : this.judgeAnnouncement(userAgent)
    if (id === null || timestamp === null || nonce === null || signature === null) return refuse("headers_incomplete")
    const number = parseAgentNumber(id)
    if (number === null) return refuse("id_malformed")
    const proof: Proof = { number, id, headers: { timestamp, nonce, signature }, request }
    const found = this.source.find(number)
    return isLater(found) ? found.then((one) => this.judgeFound(proof, one)) : this.judgeFound(proof, found)
  }

  /** A User-Agent only claims an agent's number and proves nothing. The agent's fields are added for convenience. */
  private async judgeAnnouncement(userAgent: string | null): Promise<Verdict> {
    const id = userAgent === null ? null : announcedNumber(userAgent)
    const number = id === null ? null : parseAgentNumber(id)
    if (number === null) return refuse("headers_missing")
    const found = await this.source.find(number)
    if (typeof found === "string") return refuse("announced_only", null, NO_AGENT, ANNOUNCED)
    return refuse("announced_only", id, found.fields, ANNOUNCED)
  }

  private judgeFound(proof: Proof, found: Found): Verdict | Promise<Verdict> {
    return typeof found === "string" ? refuse(found) : this.judgeProof(proof, found, true)
  }

  /** `mayRenew` is true if the hub may be asked about an unknown key. */
  private judgeProof(proof: Proof, identity: Identity, mayRenew: boolean): Verdict | Promise<Verdict> {
    const { id, headers } = proof
    const { fields } = identity
    if (identity.key === null) return refuse("agent_retired", id, fields)
    if (!TIMESTAMP_PATTERN.test(headers.timestamp)) return refuse("timestamp_invalid", id, fields)
    const timestamp = Number(headers.timestamp)
    const expired =
      Math.abs(timestamp - this.clock.seconds()) > BOUNDS.windowSeconds || timestamp <= this.nonces.forgottenUpTo
    if (expired) return refuse("timestamp_expired", id, fields)
    if (!NONCE_PATTERN.test(headers.nonce)) return refuse("nonce_invalid", id, fields)
    const signer = this.signerOf(proof, identity.key, identity)
    return isLater(signer)
      ? signer.then((one) => this.judgeSigner(proof, identity, one, mayRenew))
      : this.judgeSigner(proof, identity, signer, mayRenew)
  }

  private judgeSigner(proof: Proof, identity: Identity, signer: Signer, mayRenew: boolean): Verdict | Promise<Verdict> {
    const { id } = proof
    const { fields } = identity
    if (signer === "nobody" && mayRenew) return this.judgeRenewed(proof, identity)
    if (signer === "nobody" || signer === "malformed") return refuse("bad_signature", id, fields)
    if (signer === "retired") return refuse("key_retired", id, fields)
    if (fields.status !== "active") {
      return refuse(fields.moderation === "banned" ? "agent_banned" : "agent_suspended", id, fields, GENUINE)
    }
    const refused = this.remember(proof)
    return isLater(refused) ? refused.then((reason) => conclusion(reason, id, fields)) : conclusion(refused, id, fields)
  }

  private async judgeRenewed(proof: Proof, identity: Identity): Promise<Verdict> {
    const newer = await this.source.newer(proof.number, identity)
    if (newer === null || isClientReason(newer)) return refuse("bad_signature", proof.id, identity.fields)
    return newer === "id_unknown" ? refuse(newer) : this.judgeProof(proof, newer, false)
  }

  private signerOf(
    { request, headers, number }: Proof,
    current: Uint8Array,
    identity: Identity
  ): Signer | Promise<Signer> {
    const { method, path } = request
    if (path.length > BOUNDS.targetChars || method.length > BOUNDS.methodChars) return "malformed"
    const { timestamp, nonce } = headers
    const texts = this.settings.hosts.map((host) => identityString({ method, host, path, timestamp, nonce }))
    return this.signatures.signerOf({ number, current, retired: identity.retiredKeys }, texts, headers.signature)
  }

  /** Remembers the nonce. Returns `null` if it is used for the first time. */
  private remember(proof: Proof): NonceFault | Promise<NonceFault> {
    const { store } = this
    const { nonce, timestamp } = proof.headers
    if (store === undefined) {
      const added = this.nonces.add(proof.number, nonce, Number(timestamp), this.clock.seconds())
      return added === "fresh" ? null : added === "replayed" ? "replayed" : "cache_unavailable"
    }
    return this.rememberIn(store, `hub-nonce:${proof.id}:${nonce}`)
  }

  private async rememberIn(store: NonceStore, key: string): Promise<NonceFault> {
    try {
      const added: unknown = await within(this.settings.storeTimeoutMs, async () =>
        store.add(key, BOUNDS.nonceMemorySeconds)
      )
      return added === true ? null : added === false ? "replayed" : "cache_unavailable"
    } catch {
      return "cache_unavailable"
    }
  }
}
