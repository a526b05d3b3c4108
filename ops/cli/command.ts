import type { Service } from "./connection.ts"

export interface Arguments {
  readonly positionals: ReadonlyArray<string>
  readonly values: { readonly reason?: string; readonly to?: string; readonly json?: boolean; readonly name?: string; readonly description?: string; readonly position?: string }
}

export interface Command {
  readonly usage: ReadonlyArray<string>
  /** What it returns is printed as JSON; text is printed as it is; nothing when it has printed by itself. */
  readonly run: (service: Service, args: Arguments) => Promise<unknown>
}
