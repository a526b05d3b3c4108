/** The progress of this host's preparation (written by ops/runtime/prepare.ts). While it lasts, nothing can start. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"
import { holdersOf } from "./holding.ts"

const Preparation = Schema.Struct({ stage: Schema.String, problem: Schema.NullOr(Schema.String) })
const read = Schema.decodeUnknownSync(Schema.fromJsonString(Preparation))

interface Prepared {
  readonly reason: string
  /** True if it continues without an action. */
  readonly underWay: boolean
}

/** `null` if the preparation is complete, or if its file cannot be read. */
export const preparation = async (folder: string): Promise<Prepared | null> => {
  try {
    const { stage, problem } = read(readFileSync(join(folder, "prepare.json"), "utf8"))
    if (problem !== null) return { reason: problem, underWay: false }
    if (stage === "ready") return null
    const underWay = (await holdersOf(folder)).some(({ worker }) => worker === "preparation")
    return { reason: underWay ? `it is being prepared: ${stage}` : `its preparation ended early: ${stage}`, underWay }
  } catch {
    return null
  }
}
