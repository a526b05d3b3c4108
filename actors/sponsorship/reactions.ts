/** What becomes of a sponsorship means for its two parties, and what becomes of them for it. */
import { AgentEvent } from "../agent/state.ts"
import { HumanEvent } from "../human/state.ts"
import { awaited, on, reactions, tell, type Told } from "../reactions/reaction.ts"
import { SponsorshipEvent } from "./state.ts"

export const toldSponsorships = awaited(
  reactions(
    "sponsorship_told",
    on("sponsorship", SponsorshipEvent, (event, { id, at }): ReadonlyArray<Told> => {
      const sponsorship = Number(id)
      const { human, agent } = event
      switch (event.type) {
        case "sponsorship.declared": {
          const { role, verified } = event
          return [tell("sponsorship.told", agent, { change: "declared", sponsorship, human, role, verified })]
        }
        case "sponsorship.verified":
          return [tell("sponsorship.told", agent, { change: "verified", sponsorship })]
        case "sponsorship.confirmed":
          return [tell("sponsorship.told", agent, { change: "confirmed", sponsorship, at })]
        case "sponsorship.dated":
          return []
        case "sponsorship.ended":
          return [
            tell("sponsorship.told", agent, { change: "ended", sponsorship, status: event.status }),
            tell("human.sponsorship_ended", human, { sponsorship, status: event.status })
          ]
      }
    })
  )
)

/** A person's address is confirmed, or the account ends. */
export const sponsorshipsOfHumans = awaited(
  reactions(
    "sponsorship_of_human",
    on("human", HumanEvent, (event) => {
      const withdrawn = (id: number) => tell("sponsorship.end", String(id), { status: "withdrawn" })
      if (event.type === "human.address_confirmed")
        return [
          ...(event.ended ?? []).map(withdrawn),
          ...(event.sponsorships ?? []).map((id) => tell("sponsorship.verify", String(id), null))
        ]
      return event.type === "human.deleted" ? (event.sponsorships ?? []).map(withdrawn) : []
    })
  )
)

/** With an agent's account end those that it knew of, and those that it is told of later. */
export const sponsorshipsOfAgents = reactions(
  "sponsorship_of_agent",
  on("agent", AgentEvent, (event) => {
    const revoked = (id: number) => tell("sponsorship.end", String(id), { status: "revoked" })
    if (event.type === "agent.deleted") return (event.sponsorships ?? []).map(revoked)
    return event.type === "agent.sponsorship_came_late" ? [revoked(event.sponsorship)] : []
  })
)

/** A declaration that is not answered ends. The set is new, so that it sees those of before. */
export const datedSponsorships = reactions(
  "sponsorship_dated",
  on("sponsorship", SponsorshipEvent, (event, { id }) =>
    event.type === "sponsorship.declared" ? [tell("sponsorship.date", id, null)] : []
  )
)
