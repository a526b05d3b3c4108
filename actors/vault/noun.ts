import type { Answering } from "../queries/serve.ts"
import { vaultKind } from "./actor.ts"
import { vaultLogQuery, vaultProjection } from "./projection.ts"
import { ciphertextsGo, vaultsGo } from "./reactions.ts"

export const kinds = [vaultKind]

export const projections = [vaultProjection]

export const reactions = [ciphertextsGo, vaultsGo]

export const queries = ({ db }: Answering) => ({ vault_log: vaultLogQuery(db) })
