/** How a target takes back the vote of an account that was banned, whatever is asked of votes otherwise. */
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect } from "effect"
import type { VoteTarget } from "../../schemas/vote/records.ts"
import { type ActorTypes, write, type WriteOperation } from "../engine/definition.ts"
import type { EventShape } from "../log/commit.ts"
import { type Ballot, ballotOf } from "./ballot.ts"
import { type Annulled, type Counted, countsVotes, decideAnnulOn, type Target } from "./decide.ts"

type TargetActor<Event extends EventShape> = ActorTypes & { readonly state: Target | null; readonly event: Event }

export const annulling = <Event extends EventShape, A extends TargetActor<Event>>(
  nats: NatsConnection,
  target: VoteTarget,
  event: (counted: Counted) => Event
): WriteOperation<A, { readonly voter: string }, Annulled, Ballot | null, Annulled> =>
  write({
    prepare: (state, { voter }, { id }) =>
      state === null || !countsVotes(state) ? Effect.succeed(null) : ballotOf(nats, target, Number(id), voter),
    decide: decideAnnulOn(event),
    answer: (_state, reply) => reply,
    // The next look at the read model shall not find it again.
    projected: true
  })
