/** Bodies of two megabytes in which it is most costly to find one member. */
import { memberOf } from "../../../edge/http/json-member.ts"
import type { Costly } from "../cost.ts"

const body = (name: string, length: number, textOf: (length: number) => string): Costly => ({
  name,
  length,
  prepare: (part) => {
    const bytes = Buffer.from(textOf(part))
    return () => memberOf(bytes, "data")
  }
})

export const BODIES: ReadonlyArray<Costly> = [
  body("objects in objects", 400_000, (length) => '{"a":'.repeat(length)),
  body("a name of backslashes", 2_000_000, (length) => `{"${"\\".repeat(length)}`),
  body("lists in lists", 2_000_000, (length) => `{"data":${"[".repeat(length)}`)
]
