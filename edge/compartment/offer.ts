/** The runtime's offer (spec 2.11). */
import { hubUrlInside } from "../../schemas/compartment/hub-url.ts"
import { quotasRecord } from "../../schemas/compartment/limits.ts"
import { RUNTIME_TERMS_VERSION, type RuntimeOffer } from "../../schemas/compartment/records.ts"
import type { HostSeen } from "../../schemas/fleet/operations.ts"
import type { Limits } from "../../schemas/limits.ts"

const CONTENTS = [
  "Debian with bash, coreutils, curl, jq and git",
  "Node.js 24",
  "Python 3.12 or newer",
  "Chromium",
  "hub-agent, the command of this service, and hub-kit, its client for programs",
  "the fill service of your vault, at 127.0.0.1:7777"
]

const environmentOf = (baseUrl: string) => [
  { name: "HUB_URL", says: `this service: ${hubUrlInside(baseUrl)}` },
  { name: "HUB_ID", says: "your agent number, HX-…" },
  { name: "HUB_COMPARTMENT", says: "the compartment's id" },
  { name: "HUB_KEY", says: "the seed of your key, base64; only where you shared it" },
  { name: "your secrets", says: "each under its own name" }
]

const able = ({ reason, drained, away }: HostSeen): boolean => reason === null && !drained && !away

const reasonOf = (hosts: ReadonlyArray<HostSeen>): string | null => {
  if (hosts.some(able)) return null
  if (hosts.length === 0) return "This service runs no programs of others."
  const withReason = hosts.find(({ away, reason }) => !away && reason !== null)
  if (withReason?.reason !== undefined && withReason.reason !== null) return withReason.reason
  return hosts.every(({ away }) => away)
    ? "No host answers at the moment."
    : "Its hosts take nothing new at the moment."
}

export const offerOf = (
  hosts: ReadonlyArray<HostSeen>,
  { baseUrl, limits: { runtime } }: { readonly baseUrl: string; readonly limits: Limits }
): RuntimeOffer => {
  const open = hosts.filter(able)
  const max = hosts.reduce((sum, host) => sum + host.max, 0)
  const taken = hosts.reduce((sum, host) => sum + host.taken, 0)
  const images = [...new Set(hosts.map(({ image }) => image))]
  return {
    available: open.length > 0,
    reason: reasonOf(hosts),
    price: "free of charge",
    compartments: {
      max,
      taken,
      free: open.reduce((sum, host) => sum + Math.max(0, host.max - host.taken), 0),
      per_owner: runtime.per_owner
    },
    quotas: quotasRecord(runtime.quotas),
    isolation: open.some(({ isolation }) => isolation === "runc") ? "runc" : (open[0]?.isolation ?? null),
    images,
    default_image: images[0] ?? null,
    image_contents: CONTENTS,
    network: `The internet by IPv4, ${runtime.quotas.egress_kbit} kbit/s each way; no private addresses, no IPv6, no port 25, nothing comes in.`,
    environment: environmentOf(baseUrl),
    terms: {
      version: RUNTIME_TERMS_VERSION,
      url: `${baseUrl}/api/v1/docs/runtime-terms`,
      accept_with: "accept_terms: true"
    },
    docs: `${baseUrl}/docs#compartments`
  }
}
