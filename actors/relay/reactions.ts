/** Notifies each of an agent's owners of its events and questions, through the channels that the owner chose. */
import { CAPTCHA_ASKED, CONSENT_ASKED, OWNER_ASKED, OWNER_CONFIRMED } from "../../schemas/relay/events.ts"
import { AgentEvent } from "../agent/noun.ts"
import { CaptchaEvent } from "../captcha/noun.ts"
import { OwnerMessageEvent } from "../owner/noun.ts"
import { on, reactions, commandFor, type ReactionCommand } from "../reactions/reaction.ts"
import { VaultEvent } from "../vault/noun.ts"

export const relayedToOwners = reactions(
  "relayed_to_owners",
  on("agent", AgentEvent, (event, { id: agent, at }): ReadonlyArray<ReactionCommand> => {
    if (event.type === "agent.sponsorship_confirmed") {
      const confirmed = { agent, event: OWNER_CONFIRMED, number: event.sponsorship, at }
      return (event.told?.humans ?? []).map((human) => commandFor("human.relay", human, confirmed))
    }
    if (event.type !== "agent.notified") return []
    const { about, notification: number, owners = [] } = event
    return owners.map((human) => commandFor("human.relay", human, { agent, event: about, number, at }))
  }),
  on("owner_message", OwnerMessageEvent, (event, { id, at }): ReadonlyArray<ReactionCommand> => {
    if (event.type !== "owner_message.written" || event.human !== null) return []
    const told = { agent: event.agent, event: OWNER_ASKED, number: Number(id), at }
    return event.delivered_to
      .filter(({ state }) => state === "queued")
      .map(({ human_id }) => commandFor("human.relay", human_id, told))
  }),
  on("captcha", CaptchaEvent, (event, { id, at }): ReadonlyArray<ReactionCommand> => {
    if (event.type !== "captcha.asked") return []
    const told = { agent: event.agent, event: CAPTCHA_ASKED, number: Number(id), at }
    return event.keys.map(({ human }) => commandFor("human.relay", human, told))
  }),
  on("vault", VaultEvent, (event, { id: agent, at }): ReadonlyArray<ReactionCommand> => {
    if (event.type !== "vault.consent_asked") return []
    const told = { agent, event: CONSENT_ASKED, number: event.fill, at }
    return event.owners.map((human) => commandFor("human.relay", human, told))
  })
)
