import { Context } from "effect"
import type { Bank } from "../registration/noun.ts"

export class Keys extends Context.Service<Keys, { readonly seed: Uint8Array; readonly bank: Bank }>()(
  "hub/actors/Keys"
) {}
