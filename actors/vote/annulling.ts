/** Removes a banned account's vote on a target, without the other rules for votes. */
import type { EventLog } from "../log/commit.ts"
import { Effect } from "effect"
import type { VoteTarget } from "../../schemas/vote/records.ts"
import { type ActorTypes, type Decision, write, type WriteOperation } from "../engine/definition.ts"
import type { EventShape } from "../log/commit.ts"
import { type Ballot, ballotOf } from "../content/noun.ts"
import type { Annulled, Target } from "./decide.ts"

type TargetActor<Event extends EventShape> = ActorTypes & { readonly state: Target | null; readonly event: Event }

interface Voter {
  readonly voter: string
}

export const annulling = <Event extends EventShape, A extends TargetActor<Event>>(
  log: Pick<EventLog, "last">,
  target: VoteTarget,
  decide: (state: A["state"], input: Voter, context: { readonly facts: Ballot | null }) => Decision<Event, Annulled>
): WriteOperation<A, Voter, Annulled, Ballot | null, Annulled> =>
  write({
    prepare: (state, { voter }, { id }) =>
      state === null || state.deleted ? Effect.succeed(null) : ballotOf(log, target, Number(id), voter),
    decide,
    answer: (_state, reply) => reply,
    // Waits for the read model, so that its next page does not have this vote again.
    projected: true
  })
