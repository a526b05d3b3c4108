/** What a thread that reads messages is told, and tells. */
import type { ParsedMail } from "./parsed.ts"

export interface Told {
  readonly id: number
  readonly raw: Uint8Array
}

export interface Answered {
  readonly id: number
  readonly mail: ParsedMail
}

/** Once, as it is ready to read. */
export const BEGUN = "begun"
