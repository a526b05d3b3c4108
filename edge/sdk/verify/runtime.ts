/** The optional parts of the runtime, looked up at the time of use and never imported. */
import type { Fetch } from "./interface.ts"

export interface Subtle {
  importKey(
    format: "raw",
    key: Uint8Array,
    algorithm: string,
    extractable: boolean,
    usages: ReadonlyArray<string>
  ): Promise<object>
  verify(algorithm: string, key: object, signature: Uint8Array, data: Uint8Array): Promise<boolean>
}

interface Runtime {
  readonly process?: { getBuiltinModule?(name: string): unknown }
  readonly crypto?: { readonly subtle?: Subtle; getRandomValues(array: Uint32Array): Uint32Array }
  readonly fetch?: Fetch
}

export const runtime = globalThis as unknown as Runtime
