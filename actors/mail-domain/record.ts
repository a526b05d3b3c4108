/** Makes the record of a domain that its agent sees. */
import type { MailDomain } from "../../schemas/mail-domain/records.ts"
import { iso } from "../../schemas/iso.ts"
import { missingOf } from "./matching.ts"
import type { HeldDomain } from "./state.ts"

const timeOf = (at: number | null): string | null => (at === null ? null : iso(at))

export const recordOf = ({ domain, active, records, last_check: last, ...held }: HeldDomain): MailDomain => ({
  domain,
  status: active ? "active" : "pending",
  created_at: iso(held.created_at),
  failing_since: timeOf(held.failing_since),
  downgraded_at: timeOf(held.downgraded_at),
  claim_expires_at: timeOf(held.claim_until),
  last_check:
    last === null ? null : { at: iso(last.at), missing: missingOf(records, last.found), provider: last.provider },
  records: records.map((record, index) => {
    const found = last?.found[index] ?? null
    return found === null ? record : { ...record, found }
  })
})
