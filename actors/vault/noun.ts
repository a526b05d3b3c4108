import type { Answering } from "../queries/serve.ts"
import { vaultKind } from "./actor.ts"
import { vaultProjection } from "./projection.ts"
import { consentsPendingQuery, vaultLogQuery, vaultsActiveQuery } from "./queries.ts"
import { ciphertextsGo, tokensEnd, vaultNews, vaultsGo } from "./reactions.ts"

export const kinds = [vaultKind]

export const projections = [vaultProjection]

export const reactions = [ciphertextsGo, vaultNews, vaultsGo, tokensEnd]

export const queries = ({ db, config: { baseUrl } }: Answering) => ({
  vault_log: vaultLogQuery(db),
  vaults_active: vaultsActiveQuery(db),
  consents_pending: consentsPendingQuery(db, baseUrl)
})

export { keeper } from "./keeper/start.ts"
export { VaultEvent } from "./state.ts"
