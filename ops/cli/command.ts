import type { Arguments as Given, Declared } from "../../schemas/runtime/command-line.ts"
import type { Service } from "./connection.ts"

/**
 * The options of all commands, from which the type `Arguments` is derived. Each command's usage declares its options
 * too, and a test compares both.
 */
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

type NamedOptions<Names extends ReadonlyArray<string>, Value> = { readonly [Name in Names[number]]?: Value }

export type Options = NamedOptions<typeof OPTIONS.flags, boolean> &
  NamedOptions<typeof OPTIONS.texts, string> &
  /** Options that take pairs of values. Each may be given several times. */
  NamedOptions<typeof OPTIONS.pairs, ReadonlyArray<string>>

export type Arguments = Given<Options>

/**
 * The servers that a command needs. With `optional` it also runs without servers, and reports that they are missing.
 */
export type Servers = "needed" | "optional" | "none"

interface Connected extends Declared {
  /**
   * Runs with a connection to the service. A text result is printed as it is, any other as JSON. For `undefined`
   * nothing is printed, because the command has printed its own output.
   */
  readonly run?: (service: Service, args: Arguments) => Promise<unknown>
}

interface Alone extends Connected {
  /** Runs without a connection to the service. Returns `null` if these arguments need a connection. */
  readonly alone: (args: Arguments) => Promise<unknown> | null
  /** The servers that the launcher has to find for these arguments. */
  readonly servers: (args: Arguments) => Servers
}

export type Command = (Connected & { readonly alone?: undefined; readonly servers?: undefined }) | Alone

export const noServers = (): Servers => "none"
export const allServers = (): Servers => "needed"

/** A finding is printed like any other result, but the command exits with status 1 or the given status. */
export class Finding {
  readonly text: string
  readonly status: number

  constructor(text: string, status = 1) {
    this.text = text
    this.status = status
  }
}
