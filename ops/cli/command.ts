import type { Arguments as Given, Declared } from "../../schemas/runtime/command-line.ts"
import type { Service } from "./connection.ts"

/** Options of all commands, for the compiler: the usages declare them, and a test compares both. */
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
  /** Two of each, as often as it was given. */
  Named<typeof OPTIONS.pairs, ReadonlyArray<string>>

export type Arguments = Given<Options>

/** `optional`: the command runs without them, and says so. */
export type Servers = "needed" | "optional" | "none"

interface Connected extends Declared {
  /**
   * The result is printed as JSON, or as it is if it is text. Nothing is printed if the command has printed by itself.
   */
  readonly run?: (service: Service, args: Arguments) => Promise<unknown>
}

interface Alone extends Connected {
  /** Runs without the service: `null` if these arguments need it. */
  readonly alone: (args: Arguments) => Promise<unknown> | null
  /** Says if the launcher has to find servers for these arguments. */
  readonly servers: (args: Arguments) => Servers
}

export type Command = (Connected & { readonly alone?: undefined; readonly servers?: undefined }) | Alone

export const noServers = (): Servers => "none"
export const allServers = (): Servers => "needed"

/** A finding of a command, printed like any answer. The exit status tells scripts: 1 unless the command names another. */
export class Finding {
  readonly text: string
  readonly status: number

  constructor(text: string, status = 1) {
    this.text = text
    this.status = status
  }
}
