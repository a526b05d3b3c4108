/** A vault whose agent has an owner, and a fill service for it. */
import type { VaultEntry, VaultLogLine } from "../../schemas/vault/records.ts"
import type { Answer } from "./http.ts"
import { dataOf } from "./outcome.ts"
import { ownedBy, provenOwner, type TestOwner } from "./owner.ts"
import type { TestService } from "./service.ts"
import { asHolder, issueToken, openVault, sealedEntry, VAULT, type Wanted, type WithVault } from "./vault.ts"

export const SHOP = "https://shop.example"
export const FILL = `${VAULT}/service/fill`

export interface OwnedVault extends WithVault {
  readonly owner: TestOwner
  readonly ask: ReturnType<typeof asHolder>
}

export const ownedVault = async (service: TestService): Promise<OwnedVault> => {
  const { agent, owner } = await ownedBy(service.edges, await provenOwner(service))
  const vault = await openVault(agent)
  return { ...vault, owner, ask: asHolder(service, await issueToken(service, agent.agent.id)) }
}

export const writing = async (of: WithVault, wanted: Wanted, consent: unknown): Promise<Answer> =>
  of.client.call("POST", `${VAULT}/entries`, { body: { ...(await sealedEntry(of, wanted)), consent } })

export const written = async (of: WithVault, wanted: Wanted = {}, consent: unknown = "owner"): Promise<VaultEntry> =>
  dataOf(await writing(of, wanted, consent))

export const journal = async ({ client }: WithVault): Promise<ReadonlyArray<VaultLogLine>> =>
  dataOf(await client.call("GET", `${VAULT}/log?per_page=100`))

export const login = (entry: VaultEntry) => ({ entry_id: entry.id, action: "login", origin: SHOP })
