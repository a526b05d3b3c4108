/**
 * The list of letters, and the function that makes a letter from its values. A new letter is a file in `templates/`,
 * and a line here.
 */
import type { LetterLimits } from "./limits.ts"
import { CHAT, PUSH } from "./ways.ts"
import { type Laid, laidOut } from "./templates/layout.ts"
import { chatLinked } from "./templates/chat-linked.ts"
import { newLogin } from "./templates/new-login.ts"
import { ownerConfirmed } from "./templates/owner-confirmed.ts"
import { passwordChanged } from "./templates/password-changed.ts"
import { resetPassword } from "./templates/reset-password.ts"
import { pushSubscribed } from "./templates/push-subscribed.ts"
import { relayedCaptcha, relayedConsent, relayedDigest, relayedEvent, relayedWords } from "./templates/relayed.ts"
import { sponsorshipEnded } from "./templates/sponsorship-ended.ts"
import type { Template } from "./templates/template.ts"
import { twoStepChanged } from "./templates/two-step-changed.ts"
import { verifyAddress } from "./templates/verify-address.ts"

const TEMPLATES = {
  verify_address: verifyAddress,
  reset_password: resetPassword,
  password_changed: passwordChanged,
  two_step_changed: twoStepChanged,
  chat_linked: chatLinked,
  push_subscribed: pushSubscribed,
  new_login: newLogin,
  sponsorship_ended: sponsorshipEnded,
  owner_confirmed: ownerConfirmed,
  relayed_event: relayedEvent,
  relayed_captcha: relayedCaptcha,
  relayed_consent: relayedConsent,
  relayed_words: relayedWords,
  relayed_digest: relayedDigest
} as const

export type TemplateName = keyof typeof TEMPLATES

export const TEMPLATE_NAMES = Object.keys(TEMPLATES) as ReadonlyArray<TemplateName>

interface Service {
  readonly name: string
  readonly baseUrl: string
  readonly limits: LetterLimits
}

/** `undefined` for a template that only another release has. Letters of it may still exist. */
const templateOf = (name: string): Template | undefined =>
  (Object.entries(TEMPLATES) as ReadonlyArray<readonly [string, Template]>).find(([known]) => known === name)?.[1]

/**
 * The seconds for which a letter of this template is valid; `null` if it does not expire, or if there is no such
 * template.
 */
export const holdsSeconds = (name: string, limits: LetterLimits): number | null => {
  if (name === CHAT || name === PUSH) return limits.relay_max_age_seconds
  const template = templateOf(name)
  return template?.holds?.(limits) ?? template?.worth?.(limits) ?? null
}

/** `null` if there is no such template, or if its values are missing or wrong. */
export const rendered = (
  name: string,
  given: Readonly<Record<string, string>>,
  { name: service, baseUrl, limits }: Service
): Laid | null => {
  const template = templateOf(name)
  if (template === undefined) return null
  const judged = Object.entries(template.values).map(
    ([value, field]) => [value, Object.hasOwn(given, value) ? field(given[value] ?? "") : null] as const
  )
  const values: Record<string, string> = {}
  for (const [value, text] of judged) {
    if (text === null || text === "") return null
    values[value] = text
  }
  const draft = template.draft(values, service)
  return laidOut(draft, {
    service,
    href: draft.link === undefined ? baseUrl : baseUrl + draft.link.path,
    seconds: template.holds?.(limits) ?? 0
  })
}
