/** How far the preparation of this host is (ops/runtime/prepare.ts writes it), as a reason why nothing can start yet. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"

const Preparation = Schema.Struct({ stage: Schema.String, problem: Schema.NullOr(Schema.String) })
const read = Schema.decodeUnknownSync(Schema.fromJsonString(Preparation))

/** `null`: nobody prepares it. */
export const preparation = (folder: string): string | null => {
  try {
    const { stage, problem } = read(readFileSync(join(folder, "prepare.json"), "utf8"))
    if (problem !== null) return problem
    return stage === "ready" ? null : `it is being prepared: ${stage}`
  } catch {
    return null
  }
}
