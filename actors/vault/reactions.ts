/**
 * Reactions that erase ciphertexts that no entry uses any more, and notify agents of alerts and consents. Others end
 * the vaults of deleted and banned accounts, and the tokens of fill services whose compartments no longer run.
 */
import { AgentEvent } from "../agent/noun.ts"
import { CompartmentEvent } from "../compartment/noun.ts"
import { on, reactions, commandFor } from "../reactions/reaction.ts"
import { VaultEvent } from "./state.ts"

export const ciphertextsGo = reactions(
  "vault_erased",
  on("vault", VaultEvent, (event, { id }) => {
    switch (event.type) {
      case "vault.revoked":
        return [commandFor("vault.erase", id, { uid: event.uid, sha256: null })]
      case "vault.entry_deleted":
        return [commandFor("vault.erase", id, { uid: event.vault, sha256: event.sha256 })]
      case "vault.entry_written":
        return event.replaced === null
          ? []
          : [commandFor("vault.erase", id, { uid: event.vault, sha256: event.replaced.sha256 })]
      default:
        return []
    }
  })
)

/** Notifies the agent. The agent's notification is then passed on to its owners (actors/relay/). */
export const vaultNews = reactions(
  "vault_news",
  on("vault", VaultEvent, (event, { id }) => {
    switch (event.type) {
      case "vault.alerted": {
        const { type: _type, v: _v, hash: _hash, ...alert } = event
        return [commandFor("agent.vault_alert", id, alert)]
      }
      case "vault.consent_given":
      case "vault.consent_declined": {
        const { fill, entry, origin } = event
        const allowed = event.type === "vault.consent_given"
        return [commandFor("agent.vault_consent", id, { fill, entry, origin, allowed })]
      }
      default:
        return []
    }
  })
)

export const vaultsGo = reactions(
  "vault_ended",
  on("agent", AgentEvent, (event, { id }) =>
    event.type === "agent.deleted" || event.type === "agent.banned" ? [commandFor("vault.end", id, null)] : []
  )
)

/**
 * Sends a command to the agent's vault for each event that may end a run. The vault asks the compartment for its
 * present run, so commands about old and repeated events do no harm (services.ts).
 */
export const tokensEnd = reactions(
  "vault_tokens_ended",
  on("compartment", CompartmentEvent, (event, { id: place }) => {
    switch (event.type) {
      case "compartment.stopping":
      case "compartment.exited":
      case "compartment.suspended":
      case "compartment.moved":
      case "compartment.deleting":
        // Events of older releases may lack the agent. The token then stays until the vault needs room.
        return event.agent === undefined ? [] : [commandFor("vault.check_service", event.agent, { place })]
      default:
        return []
    }
  })
)
