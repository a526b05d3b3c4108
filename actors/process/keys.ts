import { Context } from "effect"
import type { Bank } from "../registration/noun.ts"

/** The service's seed, and what its questions are made of. */
export class Keys extends Context.Service<Keys, { readonly seed: Uint8Array; readonly bank: Bank }>()(
  "hub/actors/Keys"
) {}
