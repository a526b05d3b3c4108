import type { Service } from "./connection.ts"

export interface Options {
  readonly against?: string
  readonly all?: boolean
  readonly "all-of-target"?: boolean
  readonly answer?: string
  readonly answers?: string
  readonly at?: string
  readonly check?: boolean
  readonly count?: string
  readonly days?: string
  readonly description?: string
  /** Two points, as often as it was given. */
  readonly diff?: ReadonlyArray<string>
  readonly "events-only"?: boolean
  readonly export?: string
  readonly "from-file"?: string
  readonly gap?: string
  readonly json?: boolean
  readonly kind?: string
  readonly last?: string
  readonly log?: string
  readonly mermaid?: boolean
  readonly traces?: string
  readonly name?: string
  readonly note?: string
  readonly now?: boolean
  readonly outcome?: string
  readonly position?: string
  readonly reason?: string
  readonly rejected?: boolean
  readonly cards?: boolean
  readonly replace?: boolean
  readonly archive?: string
  readonly replicas?: string
  readonly sample?: string
  readonly scores?: boolean
  readonly seed?: string
  readonly since?: string
  readonly solver?: string
  readonly status?: string
  readonly test?: string
  readonly thread?: string
  readonly title?: string
  readonly to?: string
  readonly until?: string
  readonly version?: string
  readonly "what-if"?: string
  readonly why?: string
}

export interface Arguments {
  readonly positionals: ReadonlyArray<string>
  readonly values: Options
}

export interface Command {
  readonly usage: ReadonlyArray<string>
  /** The result is printed as JSON, text as it is, and nothing if the command has printed by itself. */
  readonly run: (service: Service, args: Arguments) => Promise<unknown>
  /** Runs without the service: `null` if these arguments need it. */
  readonly alone?: (args: Arguments) => Promise<unknown> | null
}

/** A finding of a command, printed like any answer. The exit status tells scripts: 1 unless the command names another. */
export class Finding {
  readonly text: string
  readonly status: number

  constructor(text: string, status = 1) {
    this.text = text
    this.status = status
  }
}
