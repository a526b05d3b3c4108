/** The product's own programs, with the flags that they run under. */
import type { StackOptions } from "./stack.ts"

/**
 * An edge makes many small things that live as long as a request. A larger nursery lets most of them die before they
 * are ever copied, and what is left is too little for several threads to share. An actor's state lives long, and its
 * memory counts. (The image and the page about clusters start an edge alike.)
 */
export const PRODUCT_ENTRIES: StackOptions["entries"] = {
  edge: ["--max-semi-space-size=32", "--single-threaded-gc", "edge/main.ts"],
  actor: ["actors/main.ts"],
  console: ["ops/console/main.ts"]
}

/** Edge, actors, keeper and console in one process. */
export const COMBINED_ENTRY: ReadonlyArray<string> = ["ops/launcher/combined.ts"]
