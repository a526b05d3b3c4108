/**
 * The snapshots that nodes have stored by the end of a year: of agents, threads and watches, made by the product's
 * code. Other actors have only a few commits.
 */
import { History } from "../../../actors/engine/history.ts"
import { PostgresSnapshots } from "../../../actors/engine/snapshots.ts"
import type { LogEntry } from "../../../actors/log/commit.ts"
import { KINDS } from "../../../actors/process/kinds.ts"
import type { Service } from "../../../ops/cli/connection.ts"
import { machineClock } from "../../../schemas/runtime/clock.ts"
import type { Place } from "./place.ts"

/** Kinds whose actors live long. */
const KEPT: ReadonlySet<string> = new Set(["agent", "thread", "watch"])
/** The number of snapshots that are stored at once. */
const ABREAST = 2000

const kindOf = (name: string) => {
  const found = KINDS.find(({ fold }) => fold.kind === name)
  if (found === undefined) throw new Error(`there is no kind ${name}`)
  return found
}

export class YearSnapshots {
  private readonly service: Service
  private readonly snapshots: PostgresSnapshots
  private readonly histories: Array<History> = []

  constructor(service: Service) {
    this.service = service
    this.snapshots = new PostgresSnapshots(machineClock, service.db, (kind) => kindOf(kind).format)
  }

  /** Applies a commit that was just written. */
  take(place: Place, entry: LogEntry): void {
    if (!KEPT.has(place.kind)) return
    if (place.history === null) {
      const parts = { log: this.service.log, snapshots: this.snapshots, limits: this.service.limits.service }
      place.history = new History({ ...kindOf(place.kind).fold, operations: {} }, place.id, parts)
      this.histories.push(place.history)
    }
    place.history.fold(entry)
  }

  async keep(): Promise<void> {
    while (this.histories.length > 0)
      await Promise.all(this.histories.splice(-ABREAST).map((history) => history.keepSnapshot()))
  }
}
