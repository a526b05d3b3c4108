/** The product's own programs, with the flags that they run under. */
import type { StackOptions } from "./stack.ts"

/**
 * An edge makes many small objects that live as long as a request. With a larger young generation most of them are
 * collected before they are copied. The remaining work is too little for several collector threads. Actors' states live
 * long, and their memory counts, so they use the defaults. (The container image and the page about clusters start an
 * edge with the same flags.)
 */
export const PRODUCT_ENTRIES: StackOptions["entries"] = {
  edge: ["--max-semi-space-size=32", "--single-threaded-gc", "edge/main.ts"],
  actor: ["actors/main.ts"],
  console: ["ops/console/main.ts"]
}

/** Edge, actors, keeper and console in one process. */
export const COMBINED_ENTRY: ReadonlyArray<string> = ["ops/launcher/combined.ts"]
