import type { Arguments as Given, Declared } from "../../schemas/runtime/command-line.ts"
import type { Service } from "./connection.ts"

/** The options of all commands, for the types of `Arguments`. The usages declare them too, and a test compares both. */
export const OPTIONS = {
  flags: [
    "all",
    "all-of-target",
    "cards",
    "check",
    "events-only",
    "json",
    "mermaid",
    "now",
    "rejected",
    "replace",
    "scores"
  ],
  texts: [
    "against",
    "answer",
    "answers",
    "archive",
    "at",
    "count",
    "days",
    "description",
    "export",
    "from-file",
    "gap",
    "kind",
    "last",
    "log",
    "name",
    "note",
    "outcome",
    "position",
    "reason",
    "replicas",
    "sample",
    "seed",
    "since",
    "solver",
    "status",
    "test",
    "thread",
    "title",
    "to",
    "traces",
    "until",
    "version",
    "what-if",
    "why"
  ],
  pairs: ["diff"]
} as const

type Named<Names extends ReadonlyArray<string>, Value> = { readonly [Name in Names[number]]?: Value }

export type Options = Named<typeof OPTIONS.flags, boolean> &
  Named<typeof OPTIONS.texts, string> &
  /** Pairs of values. An option may be given several times. */
  Named<typeof OPTIONS.pairs, ReadonlyArray<string>>

export type Arguments = Given<Options>

export interface Command extends Declared {
  /**
   * Text is printed as it is, any other result as JSON. Nothing is printed for `undefined`: the command has printed by
   * itself.
   */
  readonly run?: (service: Service, args: Arguments) => Promise<unknown>
  /** Runs without connections to the service. Returns `null` if these arguments need the service. */
  readonly alone?: (args: Arguments) => Promise<unknown> | null
}

/**
 * A finding of a command, which is printed like any other result. `status` is the exit status for scripts, 1 by
 * default.
 */
export class Finding {
  readonly text: string
  readonly status: number

  constructor(text: string, status = 1) {
    this.text = text
    this.status = status
  }
}
