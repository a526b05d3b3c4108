/**
 * The public list of an agent's sponsors (spec 2.2). The agent's state does not have their names. Each sponsor's
 * account is asked, and its answer is cached on this node for one to two seconds.
 */
import { Clock, Effect } from "effect"
import type { AgentPublic } from "../../../schemas/agent/records.ts"
import type { Refusal } from "../../../schemas/errors.ts"
import { monotonicMs } from "../../../schemas/runtime/clock.ts"
import type { PersonRecord } from "../../../schemas/sponsorship/operations.ts"
import type { PrepareContext } from "../../engine/definition.ts"
import { Recent } from "../../engine/recent.ts"
import { Actors } from "../../engine/services.ts"
import type { SponsorState } from "./state.ts"

type Sponsor = AgentPublic["sponsors"][number]

const SHOWN_MS = 1000
const SHOWN_MAX = 10_000
const ABREAST = 8

const confirmed = (sponsors: ReadonlyArray<SponsorState>) =>
  sponsors
    .flatMap((one) => (one.since === null ? [] : [{ ...one, since: one.since }]))
    .toSorted((one, other) => one.since - other.since || one.id - other.id)

export class SponsorRecords {
  private readonly shown = new Recent<PersonRecord | null>(SHOWN_MS, SHOWN_MAX)

  of(
    sponsors: ReadonlyArray<SponsorState>,
    context: PrepareContext
  ): Effect.Effect<ReadonlyArray<Sponsor>, Refusal, Actors> {
    const one = ({ human, role, since }: ReturnType<typeof confirmed>[number]) =>
      Effect.map(this.person(human, context), (person): ReadonlyArray<Sponsor> => {
        // The account was deleted, and the sponsorship will end soon.
        if (person === null) return []
        const { name, verification } = person
        return [{ human_id: human, name, role, since: new Date(since).toISOString(), verified: false, verification }]
      })
    return Effect.map(Effect.forEach(confirmed(sponsors), one, { concurrency: ABREAST }), (all) => all.flat())
  }

  private person(human: string, context: PrepareContext): Effect.Effect<PersonRecord | null, Refusal, Actors> {
    return Effect.gen({ self: this }, function* () {
      const known = this.shown.get(human, monotonicMs(yield* Clock.Clock))
      if (known !== undefined) return known
      const actors = yield* Actors
      const person = yield* Effect.catch(actors.ask(context, "human.shown", human, null), noneWhereGone)
      this.shown.set(human, person, monotonicMs(yield* Clock.Clock))
      return person
    })
  }
}

const noneWhereGone = (refused: Refusal): Effect.Effect<null, Refusal> =>
  refused.code === "not_found" ? Effect.succeed(null) : Effect.fail(refused)
