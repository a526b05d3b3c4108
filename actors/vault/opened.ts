/** Returns a fill's ciphertext if it may be given out, and finds the owners who have to be asked. */
import { Effect } from "effect"
import { type Refusal, unavailable } from "../../schemas/errors.ts"
import type { AskedFill } from "../../schemas/vault/records.ts"
import type { Operations } from "../../schemas/bus/operations.ts"
import type { OwnerStanding } from "../../schemas/owner/operations.ts"
import type { PrepareContext } from "../engine/definition.ts"
import type { ActorServices } from "../engine/services.ts"
import type { Ciphertexts } from "./ciphertexts.ts"
import { ownersOf } from "./consenters.ts"
import { entryOf, serviceOf } from "./decide.ts"
import type { decideFill, FillLimits } from "./decide-fills.ts"
import { consentRecord, limitsRecord } from "./policy.ts"
import { DECLINED, EXPIRED, NO_ENTRY, NO_FILL, TOKEN_INVALID } from "./refusals.ts"
import type { FillValue, VaultState } from "./state.ts"

const GONE = unavailable("The vault's store has lost this entry. Tell the operator.")

const asked = ({ fill, expires_at }: FillValue): AskedFill => ({
  fill_id: fill,
  consent: "pending",
  expires_at: new Date(expires_at).toISOString()
})

/** A fill with its ciphertext if it is pending. A fill that waits for an owner is returned without it. */
export const opened = (
  ciphertexts: Ciphertexts,
  state: VaultState,
  { hash, fill }: Operations["vault.opened"]["input"],
  { id, at }: { readonly id: string; readonly at: number }
): Effect.Effect<Operations["vault.opened"]["output"], Refusal> =>
  Effect.gen(function* () {
    const service = serviceOf(state, hash)
    if (state === null || service === null) return yield* Effect.fail(TOKEN_INVALID.refused)
    const found = state.fills.find((one) => one.fill === fill && one.place === service.place)
    if (found === undefined) return yield* Effect.fail(NO_FILL.refused)
    if (found.status === "declined") return yield* Effect.fail(DECLINED.refused)
    if (found.expires_at <= at) return yield* Effect.fail(EXPIRED.refused)
    const entry = entryOf(state, found.entry)
    if (entry === null) return yield* Effect.fail(NO_ENTRY.refused)
    if (found.status === "asked") return asked(found)
    if (found.status !== "pending") return yield* Effect.fail(EXPIRED.refused)
    const ciphertext = yield* ciphertexts.read(id, state.uid, entry.sha256)
    if (ciphertext === null) return yield* Effect.fail(GONE)
    const { uid, kind, origins, limits } = entry
    return {
      fill_id: fill,
      vault: state.uid,
      entry: {
        uid,
        kind,
        origins,
        limits: limitsRecord(limits),
        consent: consentRecord(entry),
        unconfirmed: entry.unconfirmed
      },
      ciphertext,
      consented: found.consented,
      expires_at: new Date(found.expires_at).toISOString()
    }
  })

/** The agent's owners if one of them has to allow the fill; otherwise empty. */
export const ownersToAsk = (
  decide: typeof decideFill,
  bounds: FillLimits,
  state: VaultState,
  input: Operations["vault.fill"]["input"],
  context: PrepareContext
): Effect.Effect<ReadonlyArray<OwnerStanding>, Refusal, ActorServices> => {
  const { events = [] } = decide(state, input, { at: context.at, facts: null }, bounds)
  if (!events.some(({ type }) => type === "vault.consent_asked")) return Effect.succeed([])
  return ownersOf(context)
}
