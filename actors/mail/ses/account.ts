/** Watches the account at the provider, and logs a line for operators whenever its problem changes. */
import { Effect, Schedule, type Scope } from "effect"
import { logNow } from "../../../schemas/runtime/log/log.ts"
import type { AccountState, Identities } from "./identities.ts"

const PERCENT = 100
/** The share of the provider's daily quota that counts as nearly used up. */
const NEARLY_PERCENT = 90

/** The problem with the account that an operator must solve; `null` if there is none. */
export const accountProblem = ({ sending, production, per_day, sent_day }: AccountState): string | null => {
  if (!sending) return "the provider lets this account send nothing"
  if (!production) return "the account is in the provider's sandbox: only addresses that it knows are written to"
  if (per_day !== null && per_day > 0 && (sent_day ?? 0) * PERCENT >= per_day * NEARLY_PERCENT)
    return "the provider's quota of the day is nearly used up"
  return null
}

/**
 * Checks from time to time until the scope closes. An account that cannot be asked has already been logged
 * (identities.ts).
 */
export const watchAccount = (
  { accountState }: Pick<Identities, "accountState">,
  everySeconds: number
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.suspend(() => {
    let told: string | null = null
    const look = Effect.match(accountState, {
      onFailure: () => undefined,
      onSuccess: (account) => {
        const trouble = accountProblem(account)
        if (trouble !== told)
          logNow(trouble === null ? "info" : "warn", "mail", { account: trouble ?? "is well again" })
        told = trouble
      }
    })
    return Effect.asVoid(Effect.forkScoped(Effect.repeat(look, Schedule.spaced(`${everySeconds} seconds`))))
  })
