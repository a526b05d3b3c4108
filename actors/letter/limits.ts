import type { Limits } from "../../schemas/limits.ts"

/** Includes the validity of links, because a letter that cannot be sent by then is not sent at all. */
export type LetterLimits = Limits["service"]["letters"] &
  Pick<
    Limits["limits"]["owner"],
    "verify_link_seconds" | "reset_link_seconds" | "relay_max_age_seconds" | "captcha_seconds" | "later_owner_seconds"
  > &
  Pick<Limits["vault"], "consent_seconds">

export const letterLimits = ({
  service,
  vault,
  limits: { owner }
}: Pick<Limits, "service" | "limits" | "vault">): LetterLimits => ({
  ...service.letters,
  verify_link_seconds: owner.verify_link_seconds,
  reset_link_seconds: owner.reset_link_seconds,
  relay_max_age_seconds: owner.relay_max_age_seconds,
  captcha_seconds: owner.captcha_seconds,
  later_owner_seconds: owner.later_owner_seconds,
  consent_seconds: vault.consent_seconds
})
