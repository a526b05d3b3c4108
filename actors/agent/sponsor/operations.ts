/** What the agent actor does about its sponsorships; it is declared in schemas/sponsorship/operations.ts. */
import { Effect } from "effect"
import type { sponsoredOperations as declared, SponsorshipTold } from "../../../schemas/sponsorship/operations.ts"
import { custom, write } from "../../engine/definition.ts"
import type { KindParts, Operating } from "../../kind.ts"
import { drawNotification, NO_NOTIFICATION } from "../notification/draw.ts"
import type { AgentActor } from "../state.ts"
import { decideAdmits, decideTold } from "./decide.ts"

const notifies = (told: SponsorshipTold): boolean =>
  told.change === "declared" || (told.change === "ended" && told.status === "withdrawn")

export const sponsorOperations = ({ config: { limits } }: KindParts): Operating<typeof declared, AgentActor> => ({
  "sponsorship.admits": custom((state, wanted, { seq, at }) =>
    Effect.gen(function* () {
      const refused = decideAdmits(state, wanted, limits.limits.owner)
      if (refused !== null) return yield* Effect.fail(refused)
      // A declaration notifies, which the agent's own commits alone can (`consequences`).
      if (wanted.to === "declare" || wanted.as === undefined) return null
      const facts = yield* NO_NOTIFICATION
      const { events = [] } = decideTold(state, { change: "confirmed", ...wanted.as }, { at, facts })
      return events.length === 0 ? null : { seq, events }
    })
  ),
  "sponsorship.told": write({
    prepare: (_state, told) => Effect.suspend(() => (notifies(told) ? drawNotification : NO_NOTIFICATION)),
    decide: decideTold,
    answer: () => null,
    projected: true
  })
})
