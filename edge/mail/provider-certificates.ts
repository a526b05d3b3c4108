/**
 * Certificates whose keys sign the provider's notifications.
 *
 * Checks of a certificate
 *  - It was fetched from an allowed host over TLS: an authority that this process trusts vouches for the host, and so
 *    for its files.
 *  - It is valid at this time, and has RSA with 2048 bits or more.
 *  - On a host of the provider, it is not a certificate of an authority, and it names the provider's notification
 *    service.
 *  - If the file has further certificates: each has issued the one before, and is valid at this time.
 *  - The path to a root is not checked, because the provider sends only the leaf.
 */
import { type KeyObject, X509Certificate } from "node:crypto"
import { isProviderHost } from "../../schemas/mail/ses-settings.ts"
import type { ProviderFetch } from "./provider-fetch.ts"

export interface CertificateBounds {
  readonly certificates_kept_max: number
  readonly certificate_kept_seconds: number
}

export interface SigningKey {
  readonly key: KeyObject
  /** The validity in Unix ms. */
  readonly from: number
  readonly to: number
}

/** `bad` means that there is no valid certificate at the address now, `unreachable` that this is not known. */
export type CertificateResult =
  | { readonly type: "good"; readonly key: KeyObject }
  | { readonly type: "bad" }
  | { readonly type: "unreachable"; readonly why: string }

const PEM = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g
const CHAIN_MAX = 5
const RSA_BITS_MIN = 2048
/** Names of the provider's notification service. In some regions they contain the region. */
const OWN_NAME = /^sns[a-z0-9-]*(?:\.[a-z0-9-]+)?\.amazonaws\.com(?:\.cn)?$/

const isRsa = ({ publicKey }: X509Certificate): boolean =>
  publicKey.asymmetricKeyType === "rsa" && (publicKey.asymmetricKeyDetails?.modulusLength ?? 0) >= RSA_BITS_MIN

const namesOf = ({ subjectAltName, subject }: X509Certificate): ReadonlyArray<string> => [
  ...[...(subjectAltName ?? "").matchAll(/DNS:([^,\s"]+)/g)].map(([, name]) => name ?? ""),
  ...[...subject.matchAll(/^CN=(.+)$/gm)].map(([, name]) => name ?? "")
]

/**
 * True if the certificate may be used for the host. In tests an operator may configure another host, and is then
 * responsible for its files.
 */
const isOf = (certificate: X509Certificate, host: string): boolean =>
  !isProviderHost(host) || (!certificate.ca && namesOf(certificate).some((name) => OWN_NAME.test(name)))

/**
 * The key of a certificate that signs notifications; `null` if it is not one of the provider's. The certificate's
 * validity is checked at each use.
 */
export const signingKeyIn = (pem: string, host: string): SigningKey | null => {
  const blocks = pem.match(PEM) ?? []
  if (blocks.length > CHAIN_MAX) return null
  const chain = blocks.map((block) => new X509Certificate(block))
  const [leaf, ...others] = chain
  if (leaf === undefined || !isRsa(leaf) || !isOf(leaf, host)) return null
  const isWhole = others.every((issuer, index) => {
    const issued = chain[index]
    return issued !== undefined && issuer.ca && issued.checkIssued(issuer) && issued.verify(issuer.publicKey)
  })
  if (!isWhole) return null
  return {
    key: leaf.publicKey,
    from: Math.max(...chain.map(({ validFromDate }) => validFromDate.getTime())),
    to: Math.min(...chain.map(({ validToDate }) => validToDate.getTime()))
  }
}

interface KeptCertificate {
  readonly found: SigningKey
  /** The time in Unix ms until which the certificate is not fetched again. */
  readonly until: number
}

export class ProviderCertificates {
  private readonly fetch: ProviderFetch
  private readonly bounds: CertificateBounds
  /** Certificates by address. The most recently used one is last. */
  private readonly kept = new Map<string, KeptCertificate>()
  private readonly underWay = new Map<string, Promise<CertificateResult>>()

  constructor(fetch: ProviderFetch, bounds: CertificateBounds) {
    this.fetch = fetch
    this.bounds = bounds
  }

  /** `address` must be allowed (provider-addresses.ts). Never rejects. */
  async of(address: string, now: number): Promise<CertificateResult> {
    const known = this.kept.get(address)
    if (known !== undefined && now < known.until) {
      this.kept.delete(address)
      this.kept.set(address, known)
      return inTime(known.found, now)
    }
    const asked = this.underWay.get(address) ?? this.fetched(address, now)
    this.underWay.set(address, asked)
    try {
      return await asked
    } finally {
      this.underWay.delete(address)
    }
  }

  private async fetched(address: string, now: number): Promise<CertificateResult> {
    let found: SigningKey | null
    try {
      const pem = (await this.fetch.get(address)).toString("latin1")
      found = signingKeyIn(pem, new URL(address).hostname)
    } catch (error) {
      // If the fetch fails, a cached certificate is used until it expires.
      const before = this.kept.get(address)
      if (before !== undefined) return inTime(before.found, now)
      return { type: "unreachable", why: error instanceof Error ? error.message : "unknown" }
    }
    if (found === null) return { type: "bad" }
    const { certificates_kept_max, certificate_kept_seconds } = this.bounds
    this.kept.delete(address)
    this.kept.set(address, { found, until: now + certificate_kept_seconds * 1000 })
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= certificates_kept_max) break
      this.kept.delete(oldest)
    }
    return inTime(found, now)
  }
}

const inTime = ({ key, from, to }: SigningKey, now: number): CertificateResult =>
  now >= from && now <= to ? { type: "good", key } : { type: "bad" }
