/**
 * `hub at`: shows the state of the cluster at a moment, folded from the log, or the changes between two moments. Reads
 * only.
 */
import { type Moment, momentsAt } from "../at/moment.ts"
import { TooMany } from "../at/table.ts"
import { changesOf, changesText, momentText } from "../at/text.ts"
import type { Point } from "../replay/fold.ts"
import { Masker } from "../replay/masks.ts"
import { POINT_FORMS, pointOf } from "../replay/points.ts"
import type { Command } from "./command.ts"
import { Fault } from "./fault.ts"
import { untilInterrupted } from "./interrupt.ts"
import { progressOf } from "./progress.ts"

const pointIn = (name: string, text: string): Point => {
  const point = pointOf(text)
  if (point === null) throw new Fault(`${name} takes ${POINT_FORMS}`)
  return point
}

export const atCommand: Command = {
  usage: ["at <point> [--against <point>] [--json]"],
  run: async (service, { positionals: [text = ""], values: { against, json = false } }) => {
    const points = [pointIn("at", text), ...(against === undefined ? [] : [pointIn("--against", against)])]
    const moments = await untilInterrupted((signal) =>
      momentsAt(service, points, { progress: progressOf("at"), signal })
    ).catch((error: unknown) => {
      throw error instanceof TooMany ? new Fault(error.message) : error
    })
    const [before, after] = new Masker().mask(moments) as ReadonlyArray<Moment>
    if (before === undefined) throw new Error("a moment is always there")
    if (after === undefined) return json ? before : momentText(before)
    return json ? { from: before, to: after, changes: changesOf(before, after) } : changesText(before, after)
  }
}
