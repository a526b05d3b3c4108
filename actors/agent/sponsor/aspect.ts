/** The agent actor's operations on its sponsorships, declared in schemas/sponsorship/operations.ts. */
import { Effect } from "effect"
import type { sponsoredOperations as declared, SponsorshipNews } from "../../../schemas/sponsorship/operations.ts"
import { custom, write } from "../../engine/definition.ts"
import type { KindParts, Operating } from "../../kit/kind.ts"
import { consequencesOf } from "../consequences.ts"
import { drawNotification, NO_NOTIFICATION } from "../notification/draw.ts"
import type { AgentActor } from "../state.ts"
import { decideAdmits, decideSponsorshipNews, sponsorshipNews } from "./decide.ts"

const notifies = (told: SponsorshipNews): boolean =>
  told.change === "declared" || (told.change === "ended" && told.status === "withdrawn")

const noticeFor = (told: SponsorshipNews) => Effect.suspend(() => (notifies(told) ? drawNotification : NO_NOTIFICATION))

export const operations = ({ config: { limits, baseUrl } }: KindParts): Operating<typeof declared, AgentActor> => ({
  "sponsorship.admits": custom((state, wanted, { id, seq, at }) =>
    Effect.gen(function* () {
      const refused = decideAdmits(state, wanted, at, limits)
      if (refused !== null) return yield* Effect.fail(refused)
      const told = sponsorshipNews(wanted)
      if (told === null) return null
      const decision = decideSponsorshipNews(state, told, { at, facts: yield* noticeFor(told) })
      const followed = consequencesOf(baseUrl, limits)(state, decision, { id, at })
      if ("refused" in followed || followed.events.length === 0) return null
      const companions = (followed.companions ?? []).map(({ events, ...of }) => ({
        ...of,
        events: events.map((one) => ({ ...one }))
      }))
      return { seq, events: followed.events, also: companions }
    })
  ),
  "sponsorship.told": write({
    prepare: (_state, told) => noticeFor(told),
    decide: decideSponsorshipNews,
    answer: () => null,
    projected: true
  })
})
