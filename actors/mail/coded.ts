/**
 * Finds codes and links of the last minutes, newest first. Other senders may fill the newest page. So if a sender is
 * given, pages are read until enough is found, `codes_rows_max` rows were read, or the window of minutes ends.
 */
import { Effect } from "effect"
import type { Queries } from "../../schemas/bus/operations.ts"
import type { Refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import type { ListedMail, MailCodes } from "../../schemas/mail/records.ts"
import { isWithin } from "../../schemas/mail/senders.ts"
import { mailDomain } from "../../schemas/mail/settings.ts"

export type CodesBounds = Pick<Limits["limits"]["email"], "codes_messages_max"> &
  Pick<Limits["service"]["mail"], "codes_rows_max">

interface OpenedPage {
  /** Rows on the page, including those that cannot be opened any more. */
  readonly rows: number
  readonly mails: ReadonlyArray<ListedMail>
}

/** Opens a page with `per_page` rows; pages are numbered from 1. */
export type OpenPage = (page: number, per_page: number) => Effect.Effect<OpenedPage, Refusal>

type CodesAnswer = Queries["mail_codes"]["output"]

const LETS_IN: ReadonlySet<string> = new Set(["confirmation", "password_reset", "login"])

const codesOf = ({ id, message_id, received_at, from, subject, codes, links, verdicts }: ListedMail): MailCodes => ({
  id,
  message_id,
  at: received_at,
  from,
  subject,
  codes,
  links: links.filter(({ kind }) => LETS_IN.has(kind)),
  dmarc: verdicts.dmarc,
  dkim: verdicts.dkim,
  spf: verdicts.spf
})

export const recentCodes = (
  open: OpenPage,
  from: string | null,
  { codes_messages_max: max, codes_rows_max }: CodesBounds
): Effect.Effect<CodesAnswer, Refusal> =>
  Effect.gen(function* () {
    if (from === null) return { items: (yield* open(1, max)).mails.map(codesOf), unaligned: 0 }
    const domain = mailDomain(from)
    if (domain === null) return { items: [], unaligned: 0 }
    // Keyed by id, because messages that arrive meanwhile move rows to the next page, where they are read a second
    // time.
    const aligned = new Map<string, MailCodes>()
    const unaligned = new Set<string>()
    for (let page = 1; (page - 1) * max < codes_rows_max && aligned.size < max; page++) {
      const { rows, mails } = yield* open(page, max)
      for (const mail of mails) {
        if (!isWithin(mail.from.address, domain)) continue
        if (mail.verdicts.dmarc === "PASS") aligned.set(mail.message_id, codesOf(mail))
        else unaligned.add(mail.message_id)
      }
      if (rows < max) break
    }
    return { items: [...aligned.values()].slice(0, max), unaligned: unaligned.size }
  })
