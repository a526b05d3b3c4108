/** Notifies both parties of a sponsorship of its changes. */
import { awaited, on, reactions, commandFor, type ReactionCommand } from "../reactions/reaction.ts"
import { SponsorshipEvent } from "./state.ts"

export const sponsorshipNotifications = awaited(
  reactions(
    "sponsorship_told",
    on("sponsorship", SponsorshipEvent, (event, { id, at }): ReadonlyArray<ReactionCommand> => {
      const sponsorship = Number(id)
      const { human, agent } = event
      switch (event.type) {
        case "sponsorship.declared": {
          const { role, verified } = event
          return [commandFor("sponsorship.told", agent, { change: "declared", sponsorship, human, role, verified })]
        }
        case "sponsorship.verified":
          return [commandFor("sponsorship.told", agent, { change: "verified", sponsorship })]
        case "sponsorship.confirmed":
          return [commandFor("sponsorship.told", agent, { change: "confirmed", sponsorship, at })]
        case "sponsorship.dated":
          return []
        case "sponsorship.ended":
          return [
            commandFor("sponsorship.told", agent, { change: "ended", sponsorship, status: event.status }),
            commandFor("human.sponsorship_ended", human, { sponsorship, status: event.status })
          ]
      }
    })
  )
)

/**
 * Ends declarations that are not answered. The set was added later under a name of its own, so it reads older
 * declarations as well.
 */
export const datedSponsorships = reactions(
  "sponsorship_dated",
  on("sponsorship", SponsorshipEvent, (event, { id }) =>
    event.type === "sponsorship.declared" ? [commandFor("sponsorship.date", id, null)] : []
  )
)
