import { Context } from "effect"
import type { Bank } from "../registration/noun.ts"

/** The service's seed, and the bank of its registration questions. */
export class Keys extends Context.Service<Keys, { readonly seed: Uint8Array; readonly bank: Bank }>()(
  "hub/actors/Keys"
) {}
