/** The product's own programs, with the flags that they run under. */
import type { StackOptions } from "./stack.ts"

/**
 * An edge makes many small things that live as long as a request. A larger nursery lets most of them die before they
 * are ever copied; an actor's state lives long, and its memory counts.
 */
export const PRODUCT_ENTRIES: StackOptions["entries"] = {
  edge: ["--max-semi-space-size=64", "edge/main.ts"],
  actor: ["actors/main.ts"]
}
