/** What reaches a person besides the pages, as a part of the settings: a row for each event, a box for each way. */
import type { SettingsAction } from "../../../schemas/human/pages.ts"
import { boxOf, CHANNELS, type Channel, RELAYED_EVENTS } from "../../../schemas/relay/events.ts"
import type { RelaySettings } from "../../../schemas/relay/operations.ts"
import { html, type Html, NOTHING } from "../html.ts"
import { hidden } from "./fields.ts"
import type { OwnerPage, OwnerSpace } from "./space.ts"

type WrittenForm = (action: SettingsAction, fields: Html, button: Html) => Html

type Choices = RelaySettings["choices"]

const NAMES: Readonly<Record<Channel, string>> = { email: "E-mail", chat: "Chat" }

/** As the boxes say that were sent: those that are not ticked are not. */
export const chosenBy = (boxes: Readonly<Record<string, string | undefined>>): Choices =>
  RELAYED_EVENTS.map(({ event }) => ({
    event,
    email: boxes[boxOf("email", event)] !== undefined,
    chat: boxes[boxOf("chat", event)] !== undefined
  }))

/** Shown once: the chat is linked by whoever sends it there. */
export const chatPage = (
  space: OwnerSpace,
  { code, bot }: { readonly code: string; readonly bot: string | null }
): OwnerPage => {
  const link = bot === null ? null : `https://t.me/${bot}?start=${code}`
  return {
    title: "Link your chat",
    main: html`<h1>Link your chat</h1>
${link === null ? null : html`<p><a class="button" href="${link}">Open the bot in Telegram</a>, and press Start there.</p>\n`}
<p>Or send this to the bot${bot === null ? null : html` @${bot}`}:</p>
<p><code>/start ${code}</code></p>
<p>It links your chat once, within a quarter of an hour. Show it to nobody.</p>
<p><a href="${space.at("/owner/settings")}#relay">Back to the settings</a></p>`
  }
}

const CHATS: Readonly<Record<Exclude<RelaySettings["chat"], "off">, (form: WrittenForm) => Html>> = {
  unlinked: (
    form
  ) => html`<p>No chat is linked. In Telegram your agents' questions have buttons, and a reply is an answer.</p>
${form("offer_chat", NOTHING, html`<button>Link a chat</button>`)}`,
  linked: (form) => {
    const unlink = form("unlink_chat", NOTHING, html`<button>Unlink it</button>`)
    const another = form("offer_chat", NOTHING, html`<button>Link another instead</button>`)
    return html`<p>Your chat in Telegram is linked.</p>
${unlink}${another}`
  }
}

export const relaySection = ({ email, chat, choices }: RelaySettings, form: WrittenForm): Html => {
  const chosen = new Map(choices.map((one) => [one.event, one]))
  const box = (event: string, channel: Channel): Html => {
    const name = boxOf(channel, event)
    const isChosen = chosen.get(event)?.[channel] === true
    // Where there is no chat nobody is asked for it, and what was chosen stays for when there is.
    if (channel === "chat" && chat === "off") return hidden(name, isChosen ? "on" : null)
    const ticked = isChosen ? html` checked` : null
    return html`<label class="box"><input type="checkbox" name="${name}"${ticked}>
${NAMES[channel]}<span class="unseen">: ${event}</span></label>
`
  }
  const rows = RELAYED_EVENTS.map(
    ({ event, description }) => html`<li class="row">
<p>${description} <span class="faint">${event}</span></p>
<p>${CHANNELS.map((channel) => box(event, channel))}</p></li>
`
  )
  const without = email
    ? null
    : html`<p class="faint">Letters go out once your address is confirmed, where this service sends any.</p>\n`
  const chats = chat === "off" ? null : CHATS[chat](form)
  const asked = chosen.get("owner.asked")
  const isTold = (email && asked?.email === true) || (chat === "linked" && asked?.chat === true)
  const untold = isTold
    ? null
    : html`<p><strong>Nothing tells you when an agent asks: you find it when you come here.</strong></p>\n`
  return html`${untold}${chats}<p>Whatever it is, it stands on your pages. Choose what reaches you besides.</p>
${without}${form(
    "choose_relay",
    html`<details>
<summary>By what way you hear of ${RELAYED_EVENTS.length} kinds of events</summary>
<ul class="rows">
${rows}</ul>
</details>
`,
    html`<button>Keep this choice</button>`
  )}`
}
