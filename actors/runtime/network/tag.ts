/**
 * The tag of a deployment, which is in the name of everything that it makes on a host. So several deployments share one
 * machine without touching each other. The names of devices stay below the kernel's 15 characters.
 */
import { createHash } from "node:crypto"
import { resolve } from "node:path"

const TAG_CHARS = 4

/** The tag of the folder `<HUB_DATA>/runtime`. */
export const tagOf = (folder: string): string =>
  createHash("sha256").update(resolve(folder)).digest("hex").slice(0, TAG_CHARS)

/** True if a device belongs to any deployment. */
export const isOurs = (device: string): boolean => /^hb[0-9a-f]{4}[a-z]/.test(device)

export interface Names {
  readonly tag: string
  readonly table: string
  /** Every bridge that a compartment can be attached to, in nft's spelling. */
  readonly bridges: string
  readonly bridge: (slot: number) => string
  readonly network: (slot: number) => string
  /** Has the address at which the resolver and the forward listen. */
  readonly service: string
  /** The bridge, the device and the network namespace from which the rules are tried. */
  readonly probe: { readonly bridge: string; readonly device: string; readonly namespace: string }
  /** The device and namespace that play the internet when the rules are tested. */
  readonly outside: { readonly device: string; readonly namespace: string }
}

export const namesOf = (tag: string): Names => ({
  tag,
  table: `hub_${tag}`,
  bridges: `hb${tag}c*`,
  bridge: (slot) => `hb${tag}c${slot}`,
  network: (slot) => `hub-${tag}-${slot}`,
  service: `hb${tag}s`,
  probe: { bridge: `hb${tag}cp`, device: `hb${tag}v`, namespace: `hub-${tag}-probe` },
  outside: { device: `hb${tag}o`, namespace: `hub-${tag}-outside` }
})
