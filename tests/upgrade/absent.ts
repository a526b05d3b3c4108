/**
 * Events that a fixture may lack, each with why. The list may only shrink: the generator refuses to write a fixture that
 * lacks any other event, and the test refuses to take one.
 */
const DAYS = "comes after days of the clock, and moves with the day of the test"
const PROVIDER = "comes under another mail provider"
const BROKEN = "comes when a mail server breaks off"
const RARE = "comes when two nodes, or two requests, meet"
const ENGINE = "comes with a real host of compartments"

export const ABSENT: Readonly<Record<string, string>> = {
  "agent.active_time_counted": DAYS,
  "agent.owner_judged": DAYS,
  "agent.sponsorship_came_late": RARE,
  "compartment.files_applied": ENGINE,
  "compartment.files_queued": ENGINE,
  "delivery.put_off": RARE,
  "human.password_renewed": "comes with stronger parameters of a password's hash",
  "letter.dropped": RARE,
  "letter.failed": BROKEN,
  "letter.given_up": BROKEN,
  "letter.unknown": BROKEN,
  "mail.expired": DAYS,
  "mail_domain.claim_kept": DAYS,
  "mail_domain.downgraded": DAYS,
  "mail_domain.failing": DAYS,
  "mail_domain.forget_put_off": DAYS,
  "mail_domain.records_changed": DAYS,
  "mail_domain.recovered": DAYS,
  "mail_notice.due": PROVIDER,
  "mail_notice.put_off": PROVIDER,
  "mail_notice.settled": PROVIDER,
  "mail_notice.taken": PROVIDER,
  "mail_sending.reported": "comes with a report on a message that was taken before",
  "report.not_carried_out": RARE,
  "vault.restored": "comes with a restore: each start of a fixture writes it"
}
