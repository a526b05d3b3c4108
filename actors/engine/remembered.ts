/**
 * Remembers the commands that an actor has carried out, so that a repeated command is answered and not carried out
 * again.
 *
 * Invariants
 *  - Most are known by their ids: the newest `command_memory_max`, for `command_memory_seconds`.
 *  - A command that was refused for a cause that may pass is known for `PASSING_MS`. Within that time an asker repeats
 *    it because an answer was late or lost. If it is sent again later, it is judged again (contract 13).
 *  - A set of reactions sends its commands to an actor in the order of the log. So only the newest place of each set is
 *    kept: all earlier commands of the set are done. They take no room from other commands.
 *  - It is rebuilt from the log, and a snapshot holds all of it.
 */
import { isPassing } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import { reactionPlaceOf } from "./command-ids.ts"
import { isRefused } from "./commit-group.ts"
import type { RememberedCommand } from "./ports.ts"

/** The progress of a set of reactions: its commands from one commit. Those of all earlier commits are done. */
interface Place {
  readonly seq: number
  readonly commands: Array<RememberedCommand>
}

/** Longer than a request takes, including its retries. */
export const PASSING_MS = 15_000

const mayPass = ({ reply }: RememberedCommand): boolean => isRefused(reply) && isPassing(reply.refused.code)

type Bounds = Pick<Limits["service"], "command_memory_max" | "command_memory_seconds">

export class Remembered {
  private readonly kind: string
  private readonly id: string
  private commands: Array<RememberedCommand> = []
  /** `null` for most actors, so that it costs them nothing. */
  private places: Map<string, Place> | null = null

  constructor(kind: string, id: string) {
    this.kind = kind
    this.id = id
  }

  /** `at`: the present time in Unix ms. `"passed"`: the command is done, but its reply was forgotten. */
  find(id: string, at: number): RememberedCommand | "passed" | undefined {
    const told = this.placeIn(id)
    if (told === null) {
      const known = this.commands.findLast((one) => one.id === id)
      return known !== undefined && mayPass(known) && known.at < at - PASSING_MS ? undefined : known
    }
    const place = this.places?.get(told.set)
    if (place === undefined || told.seq > place.seq) return undefined
    return told.seq < place.seq ? "passed" : place.commands.find((known) => known.id === id)
  }

  add(command: RememberedCommand, bounds: Bounds): void {
    const told = this.placeIn(command.id)
    if (told === null) this.addCommand(command, bounds)
    else this.addPlace(command, told.set, told.seq)
  }

  /**
   * `null` if the command is not a reaction's command to this actor. In a commit of another actor, this actor is only a
   * companion.
   */
  private placeIn(id: string) {
    const told = reactionPlaceOf(id)
    return told?.kind === this.kind && told.actor === this.id ? told : null
  }

  private addCommand(command: RememberedCommand, { command_memory_max, command_memory_seconds }: Bounds): void {
    const oldest = command.at - command_memory_seconds * 1000
    while (
      this.commands.length >= command_memory_max ||
      (this.commands[0] !== undefined && this.commands[0].at < oldest)
    ) {
      this.commands.shift()
    }
    this.commands.push(command)
  }

  private addPlace(command: RememberedCommand, set: string, seq: number): void {
    const places = (this.places ??= new Map<string, Place>())
    const known = places.get(set)
    if (known === undefined || known.seq < seq) places.set(set, { seq, commands: [command] })
    else if (known.seq === seq) known.commands.push(command)
  }

  get all(): ReadonlyArray<RememberedCommand> {
    return [...[...(this.places?.values() ?? [])].flatMap(({ commands }) => commands), ...this.commands]
  }

  restore(all: ReadonlyArray<RememberedCommand>, bounds: Bounds): void {
    this.commands = []
    this.places = null
    for (const command of all) this.add(command, bounds)
  }
}
