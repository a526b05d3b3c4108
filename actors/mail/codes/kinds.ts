/** Finds the purpose of a link: from its own text, then from its address, then from the sentence around it. */
import type { MailLink } from "../../../schemas/mail/records.ts"
import { isDense, isLetter, marksIn } from "./vocabulary.ts"
import { LINK_WORDS, type LinkWord } from "./words.ts"
import { unwrapped } from "./wrappers.ts"

export type Kind = MailLink["kind"]

export interface LinkContext {
  /** The text of the link. Empty for an address in plain text. */
  readonly text: string
  readonly before: string
  readonly after: string
  /** The line above. */
  readonly above: string
}

/** The purpose that the words name, or `null` if they name none. */
const kindOfWords = (words: ReadonlyArray<LinkWord>): Kind | null => {
  if (words.includes("unsubscribe")) return "unsubscribe"
  if (words.includes("password") && words.includes("renew")) return "password_reset"
  if (words.includes("confirm") && words.includes("leave")) return "unsubscribe"
  // "Confirm your sign-in" is written in different orders in different languages.
  return words.includes("confirm") ? "confirmation" : words.includes("login") ? "login" : null
}

const wordsIn = (text: string): ReadonlyArray<LinkWord> =>
  marksIn(text.toLowerCase(), LINK_WORDS).map(({ kind }) => kind)

/** The most letters beside "click here", as in "please click here". A character of a dense script counts as three. */
const BESIDE_MAX_LETTERS = 6
const DENSE_LETTERS = 3

/** True for "Click here", "weiter" or an address: the text does not name the purpose. */
const isGeneric = (text: string): boolean => {
  if (text.includes("://") || (!text.includes(" ") && text.includes("."))) return true
  const marks = marksIn(text.toLowerCase(), LINK_WORDS).filter(({ kind }) => kind === "generic")
  let all = 0
  let beside = 0
  let next = 0
  for (let at = 0; at < text.length; at++) {
    if (!isLetter(text, at)) continue
    all++
    while ((marks[next]?.to ?? Infinity) <= at) next++
    if (at < (marks[next]?.from ?? Infinity)) beside += isDense(text, at) ? DENSE_LETTERS : 1
  }
  return all === 0 || (marks.length > 0 && beside <= BESIDE_MAX_LETTERS)
}

const UNSUBSCRIBE = new Set(
  "unsubscribe unsub optout opt-out opt_out abmelden abbestellen desabonnement desinscription baja disiscriviti uitschrijven wypisz unsubscribe-me unsubscribed email-optout list-unsubscribe unsubscribes".split(
    " "
  )
)
const RESET = new Set(
  "reset forgot recover reset-password password-reset resetpassword passwordreset password_reset reset_password forgot-password newpassword change-password passwort-zuruecksetzen recovery set-password new-password".split(
    " "
  )
)
const CONFIRM = new Set(
  "confirm verify activate confirmation verification activation validate confirm-email verify-email email-verify email-confirm verifyemail confirmemail confirm_email verify_email activate-account optin opt-in doi double-optin bestaetigen confirmar potwierdz validation email-verification doubleoptin confirm-subscription".split(
    " "
  )
)
const LEAVE = new Set(
  "remove removal delete deletion cancel cancellation leave stop end deactivate unsubscription opt_out_confirm loeschen entfernen kuendigen austragen supprimer retirer resilier eliminar cancelar rimuovi cancella elimina remover excluir verwijder verwijderen opzeggen usun sil iptal".split(
    " "
  )
)
const LOGIN = new Set(
  "login signin sign-in log-in magic magic-link magiclink magic_link sign_in log_in sso otp-login passwordless email-login login-link auth".split(
    " "
  )
)
const ELSEWHERE = new Set(
  "help support contact privacy terms faq legal about blog docs imprint impressum hilfe aide ayuda hc policy policies datenschutz status settings notifications report security-center cookies jobs careers kontakt privacy-policy pomoc destek orders order invoice invoices products product shop articles article news stories downloads".split(
    " "
  )
)

const segmentsOf = (url: URL): ReadonlyArray<string> => [
  ...url.hostname.split(".").slice(0, -2),
  ...`${url.pathname}/${url.hash.slice(1, 200)}`.toLowerCase().split(/[/?&.=]/, 60),
  ...[...url.searchParams]
    .slice(0, 20)
    .flatMap(([name, value]) =>
      ["mode", "action", "type", "flow", "do", "page", "op"].includes(name.toLowerCase()) ? [value.toLowerCase()] : []
    )
]

const kindOfPath = (url: URL): Kind | "elsewhere" | null => {
  const parts = segmentsOf(url)
  const has = (set: ReadonlySet<string>): boolean => parts.some((part) => set.has(part))
  if (has(UNSUBSCRIBE) || parts.some((part) => part.startsWith("unsubscribe"))) return "unsubscribe"
  if (has(ELSEWHERE)) return "elsewhere"
  const password = parts.some((part) => part === "password" || part === "passwords" || part === "passwort")
  if (
    parts.some((part) => RESET.has(part) && (part.includes("pass") || password)) ||
    (password && (has(RESET) || parts.includes("new") || parts.includes("edit")))
  )
    return "password_reset"
  if (has(CONFIRM)) return has(LEAVE) ? "unsubscribe" : "confirmation"
  if (has(RESET)) return "password_reset"
  return has(LOGIN) ? "login" : null
}

const STOPS = /[.!?。！？](?:\s|$)|[。！？]/

/** The sentence that contains the link. If it has no words, the sentence or line before it. */
const sentenceOf = ({ before, after, above }: LinkContext): string => {
  const parts = before.split(STOPS)
  const own = `${parts.at(-1) ?? ""} … ${after.split(STOPS)[0] ?? ""}`
  if (/\p{L}/u.test(own)) return own
  const last = parts.findLast((part) => /\p{L}/u.test(part)) ?? ""
  return last === "" && !above.includes("://") ? above : last
}

/**
 * The purpose from the words of the sentence. If the sentence only points at the link, the words before it count too.
 */
const kindAround = (shown: LinkContext): Kind | null => {
  const sentence = sentenceOf(shown)
  const words = wordsIn(sentence)
  const own = kindOfWords(words)
  if (own !== null || !(words.includes("generic") || shown.text !== "" || !/\p{L}/u.test(sentence))) return own
  const { before, after, above } = shown
  return kindOfWords(wordsIn(`${above.includes("://") ? "" : above} ${before} ${after.split(STOPS)[0] ?? ""}`))
}

export const kindOf = (url: URL, shown: LinkContext): Kind => {
  // User names and passwords in an address are used to hide its real host.
  if (url.username !== "" || url.password !== "") return "other"
  const words = wordsIn(shown.text.includes("://") ? "" : shown.text)
  const own = kindOfWords(words)
  if (own !== null) return own
  const target = unwrapped(url)
  const path = target === null ? null : kindOfPath(target)
  if (path === "elsewhere") return "other"
  if (path !== null) return path
  if (!isGeneric(shown.text)) return "other"
  const around = kindAround(shown)
  // The front page of a site may have a form to log in, but it resets and confirms nothing.
  const front = target !== null && target.pathname === "/" && target.search === "" && target.hash === ""
  return front && around !== "login" ? "other" : (around ?? "other")
}
