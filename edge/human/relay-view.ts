/**
 * The choice of notifications outside the pages, in the settings: a row for each event, a checkbox for each channel.
 */
import type { SettingsAction } from "../../schemas/human/pages.ts"
import { boxOf, CHANNELS, type Channel, RELAYED_EVENTS } from "../../schemas/relay/events.ts"
import { RELAY_LIMITS } from "../../schemas/relay/limits.ts"
import type { RelaySettings } from "../../schemas/relay/operations.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import { minute } from "../kit/times.ts"
import { hidden } from "../kit/owner/fields.ts"
import { pushPageHeaders, pushScript } from "./push-script.ts"
import type { Member, OwnerPage, OwnerSpace } from "./space.ts"

type WrittenForm = (action: SettingsAction, fields: Html, button: Html, which?: string) => Html

type Choices = RelaySettings["choices"]

const NAMES: Readonly<Record<Channel, string>> = { email: "E-mail", chat: "Chat", push: "Browser" }

/** Browsers send ticked boxes only. */
export const chosenBy = (boxes: Readonly<Record<string, string | undefined>>): Choices =>
  RELAYED_EVENTS.map(({ event }) => ({
    event,
    email: boxes[boxOf("email", event)] !== undefined,
    chat: boxes[boxOf("chat", event)] !== undefined,
    push: boxes[boxOf("push", event)] !== undefined
  }))

/** The page with the code that links a chat. It is shown once. */
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

const PUSH_FORM = "settings.subscribe_push"

export const pushPage = (space: OwnerSpace, member: Member, key: string): OwnerPage => {
  const names = ["endpoint", "p256dh", "auth"]
  const fields = html`${hidden("action", "subscribe_push")}${names.map((name) => hidden(name, ""))}<button type="button" class="main" id="push" hidden>Tell me in this browser</button>
`
  return {
    title: "Notifications in this browser",
    headers: pushPageHeaders,
    main: html`<h1>Notifications in this browser</h1>
<p>Your browser's maker carries them, encrypted for this browser. It learns when you are told, not of what.</p>
${space.form(member, PUSH_FORM, "/owner/settings", fields)}${pushScript(key, space.at("/owner/push.js"))}
<p><a href="${space.at("/owner/settings")}#relay">Back to the settings</a></p>`
  }
}

const pushPart = ({ browsers }: NonNullable<RelaySettings["push"]>, form: WrittenForm): Html => {
  const row = ({ id, name, since }: (typeof browsers)[number]): Html => {
    const end = html`<button>End<span class="unseen"> notifications in ${name}, number ${id}</span></button>`
    return html`<li class="row">
<p class="title">${name}</p>
<p class="faint">Notified since ${minute(since)}</p>
${form("end_push", hidden("browser", String(id)), end, String(id))}</li>
`
  }
  const list = browsers.length === 0 ? null : html`<ul class="rows">\n${browsers.map(row)}</ul>\n`
  return browsers.length >= RELAY_LIMITS.push_subscriptions_max
    ? html`${list}<p>${browsers.length} browsers are notified: end one to add another.</p>\n`
    : html`${list}${form("offer_push", NOTHING, html`<button>Notify me in this browser</button>`)}`
}

export const relaySection = ({ email, chat, push, choices }: RelaySettings, form: WrittenForm): Html => {
  const chosen = new Map(choices.map((one) => [one.event, one]))
  const box = (event: string, channel: Channel): Html => {
    const name = boxOf(channel, event)
    const isChosen = chosen.get(event)?.[channel] === true
    // A channel that is unavailable has no box, and its stored choice is kept.
    const isOff = (channel === "chat" && chat === "off") || (channel === "push" && push === null)
    if (isOff) return hidden(name, isChosen ? "on" : null)
    const ticked = isChosen ? html` checked` : null
    return html`<label class="box"><input type="checkbox" name="${name}"${ticked}>
${NAMES[channel]}<span class="unseen">: ${event}</span></label>
`
  }
  const rows = RELAYED_EVENTS.map(
    ({ event, description }) => html`<li class="row">
<p>${description} <span class="faint">${event}</span></p>
<p class="boxes">${CHANNELS.map((channel) => box(event, channel))}</p></li>
`
  )
  const without = email
    ? null
    : html`<p class="faint">Letters go out once your address is confirmed, where this service sends any.</p>\n`
  const chats = chat === "off" ? null : CHATS[chat](form)
  const asked = chosen.get("owner.asked")
  const inBrowser = push !== null && push.browsers.length > 0 && asked?.push === true
  const isTold = (email && asked?.email === true) || (chat === "linked" && asked?.chat === true) || inBrowser
  const untold = isTold
    ? null
    : html`<p><strong>Nothing tells you when an agent asks: you find it when you come here.</strong></p>\n`
  const browsers = push === null ? null : pushPart(push, form)
  return html`${untold}${chats}${browsers}<p>Whatever it is, it stands on your pages. Choose what reaches you besides.</p>
${without}${form(
    "choose_relay",
    html`<details>
<summary>By what way you hear of ${RELAYED_EVENTS.length} kinds of events</summary>
<ul class="rows">
${rows}</ul>
</details>
`,
    html`<button class="main">Keep this choice</button>`
  )}`
}
