/**
 * An agent's mail on an owner's page: its mailboxes, and recent messages with sender and codes. All of it except the
 * mailboxes' addresses comes from strangers.
 */
import type { Mailbox, Verdicts } from "../../schemas/mail/records.ts"
import type { OwnedMail, SeenMail } from "./owning.ts"
import type { Member, OwnerSpace } from "../human/index.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import { own } from "../kit/record.ts"
import { minute } from "../kit/times.ts"
import { chip, emptyPlace, type Tone } from "../kit/owner/signs.ts"
import { fieldsOf, hidden, NO_PROBLEMS, type Problems } from "../kit/owner/fields.ts"

export const CONFIRM_WORD = "close"

const closingPath = (handle: string): string => `/owner/agents/${handle}/mailboxes`

export const closingForm = (agent: string, mailbox: number): string => `agent.${agent}.mailbox.${mailbox}`

export interface RefusedClosing {
  readonly mailbox: number
  readonly problems: Problems
}

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1)

/** The proof of a message's origin, in words that need no knowledge of DMARC. */
export const originOf = (
  address: string,
  { dmarc, spf, dkim, spam, virus }: Omit<Verdicts, "reasons">
): ReadonlyArray<Html> => {
  const warnings = [
    ...(virus === "FAIL" ? [html`A virus was found in it.`] : []),
    ...(spam === "FAIL" ? [html`It looks like spam.`] : [])
  ]
  if (address === "") return [html`It does not say who sent it.`, ...warnings]
  const domain = own(domainOf(address))
  if (dmarc === "PASS") return [html`It is proven that ${domain} sent it.`, ...warnings]
  if (dmarc === "FAIL")
    return [html`Probably forged: it says that it is from ${domain}, and ${domain} does not confirm that.`, ...warnings]
  if (dmarc === "NONE" && (spf === "PASS" || dkim === "PASS"))
    return [html`Somebody sent it openly, but whether that was ${domain} is not proven.`, ...warnings]
  if (dmarc === "NONE") return [html`Nothing proves that ${domain} sent it: anybody could have.`, ...warnings]
  return [html`The sender ${domain} could not be checked when this mail came.`, ...warnings]
}

const trustOf = ({ dmarc, spam, virus }: Omit<Verdicts, "reasons">): readonly [name: string, tone: Tone] => {
  if (virus === "FAIL") return ["Virus", "bad"]
  if (dmarc === "FAIL") return ["Probably forged", "bad"]
  if (spam === "FAIL") return ["Spam", "bad"]
  return dmarc === "PASS" ? ["Sender proven", "good"] : ["Sender not proven", "open"]
}

/** `recipient` is the agent, if a list shows mail of several agents. */
export const mailRow = (
  { from, to, subject, received_at, codes, verdicts }: SeenMail,
  recipient: Html = own(to)
): Html => {
  const name = from.name === "" ? NOTHING : html`${own(from.name)} · `
  const address = from.address === "" ? html`no address` : own(from.address)
  const shown = codes.map((code) => html`<code class="code">${own(code)}</code> `)
  const titled = subject.trim() === "" ? html`<span class="faint">Without a subject</span>` : own(subject)
  return html`<li class="row">
<p class="title">${titled} ${chip(...trustOf(verdicts))}</p>
<p class="faint">${name}${address}, to ${recipient}, ${minute(received_at)}</p>
${codes.length === 0 ? NOTHING : html`<p>${codes.length === 1 ? "Code" : "Codes"}: ${shown}</p>\n`}<p class="faint">${originOf(
    from.address,
    verdicts
  ).map((line, index) => (index === 0 ? line : html` ${line}`))}</p></li>
`
}

export interface MailSection {
  readonly id: string
  readonly handle: string
  /** `null` if the mail is unavailable. */
  readonly mail: OwnedMail | null
  readonly refused: RefusedClosing | null
}

const closing = (space: OwnerSpace, member: Member, { id, handle, refused }: MailSection, box: Mailbox): Html => {
  const problems = refused?.mailbox === box.id ? refused.problems : null
  const word = {
    name: "confirm",
    label: `To close it, type the word ${CONFIRM_WORD}`,
    autocomplete: "off",
    hint: "All mail that it received is erased at once, and nothing more reaches the agent there."
  }
  const form = space.form(
    member,
    closingForm(id, box.id),
    closingPath(handle),
    html`${hidden("mailbox", String(box.id))}${fieldsOf(`close-${box.id}`, [word], problems ?? NO_PROBLEMS)}<button class="grave">Close<span class="unseen"> ${box.address}</span></button>\n`
  )
  return html`<details${problems === null ? NOTHING : html` open`}><summary>Close this mailbox<span class="unseen"> (${box.address})</span></summary>
${form}</details>
`
}

export const mailSection = (space: OwnerSpace, member: Member, section: MailSection): Html => {
  const { mail } = section
  if (mail === null)
    return html`<section><h2 id="mail">Its mail</h2>
<p class="faint">Its mail cannot be shown at the moment.</p></section>
`
  const { mailboxes, recent } = mail
  if (mailboxes.length === 0)
    return html`<section><h2 id="mail">Its mail</h2>
${emptyPlace("mail", "It has no mailbox. It opens one itself when it needs one.")}</section>
`
  const boxes = mailboxes.map(
    (box) => html`<li class="row">
<p class="title">${own(box.address)}</p>
<p class="faint">${box.label === null ? NOTHING : html`${own(box.label)} · `}since ${minute(box.created_at)}</p>
${closing(space, member, section, box)}</li>
`
  )
  const none = emptyPlace("mail", "No mail has come yet.")
  return html`<section><h2 id="mail">Its mail</h2>
<p>You see who wrote, about what, and with which codes. What the messages say, only the agent reads.</p>
<ul class="rows panel">
${boxes}</ul>
<h3 id="recent-mail">What came last</h3>
${recent.length === 0 ? none : html`<ul class="rows panel">\n${recent.map((one) => mailRow(one))}</ul>\n`}</section>
`
}
