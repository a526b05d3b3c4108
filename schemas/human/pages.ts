/** The owner's space: pages for people who sponsor agents (spec 4.10; contract 20). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { describe } from "../envelope.ts"
import { boxOf, CHANNELS, RELAYED_EVENTS } from "../relay/events.ts"
import { formOf, HtmlText, ofType, PageNumber } from "../page.ts"

export const OWNER_PATH = "/owner"

export const isOwnerPath = (path: string): boolean => path === OWNER_PATH || path.startsWith(`${OWNER_PATH}/`)

/** The page reports a missing or wrong value next to its field, so the form is not refused as a whole. */
const Field = Schema.optionalKey(Schema.String)

/** A checkbox for each event and channel. Nothing is sent without a tick. */
const Boxes: Readonly<Record<string, typeof Field>> = Object.fromEntries(
  RELAYED_EVENTS.flatMap(({ event }) => CHANNELS.map((channel) => [boxOf(channel, event), Field]))
)

/** The field of the form token, which every form has (edge/kit/owner/form-token.ts). */
export const FormToken = { form_token: Field }

/** The link in a letter contains its token. */
const Linked = { token: Field }

/** Fields that the page's script fills in: the browser's answer as JSON, and the challenge that it answers. */
const Passkey = { answer: Field, challenge: Field }

const SETTINGS_ACTIONS = [
  "rename",
  "change_password",
  "end_session",
  "end_others",
  "send_verification",
  "offer_two_step",
  "enable_two_step",
  "disable_two_step",
  "renew_codes",
  "choose_relay",
  "offer_chat",
  "unlink_chat",
  "offer_push",
  "subscribe_push",
  "end_push",
  "offer_passkey",
  "remove_passkey",
  "delete"
] as const
export type SettingsAction = (typeof SETTINGS_ACTIONS)[number]

const HOME_ACTIONS = ["declare", "withdraw"] as const
export type HomeAction = (typeof HOME_ACTIONS)[number]

export const OwnerPages = HttpApiGroup.make("page.owner").add(
  HttpApiEndpoint.get("home", OWNER_PATH, { success: HtmlText }).annotateMerge(describe("none", "The owner's agents")),
  HttpApiEndpoint.post("changeAgents", OWNER_PATH, {
    payload: formOf({ action: Schema.Literals(HOME_ACTIONS), agent: Field, role: Field, ...FormToken }),
    success: HtmlText
  }).annotateMerge(describe("none", "Declares an agent, or withdraws from one")),
  HttpApiEndpoint.get("mails", "/owner/mail", { query: PageNumber, success: HtmlText }).annotateMerge(
    describe("none", "Mail of the owner's agents")
  ),
  HttpApiEndpoint.get("vaults", "/owner/vault", { query: PageNumber, success: HtmlText }).annotateMerge(
    describe("none", "Vaults of the owner's agents")
  ),
  HttpApiEndpoint.get("compartments", "/owner/compartments", { success: HtmlText }).annotateMerge(
    describe("none", "Compartments of the owner and of the owner's agents")
  ),
  HttpApiEndpoint.get("agent", "/owner/agents/:handle", {
    params: { handle: Schema.String },
    query: PageNumber,
    success: HtmlText
  }).annotateMerge(describe("none", "An agent, to one of its owners")),
  HttpApiEndpoint.post("writeToAgent", "/owner/agents/:handle", {
    params: { handle: Schema.String },
    payload: formOf({ message: Field, option: Field, text: Field, ...FormToken }),
    success: HtmlText
  }).annotateMerge(describe("none", "Answers an agent, or writes to it")),
  HttpApiEndpoint.post("closeAgentMailbox", "/owner/agents/:handle/mailboxes", {
    params: { handle: Schema.String },
    payload: formOf({ mailbox: Field, confirm: Field, ...FormToken }),
    success: HtmlText
  }).annotateMerge(describe("none", "Closes a mailbox of an agent")),
  HttpApiEndpoint.post("consentToFill", "/owner/agents/:handle/consents", {
    params: { handle: Schema.String },
    payload: formOf({ fill: Field, act: Field, ...FormToken }),
    success: HtmlText
  }).annotateMerge(describe("none", "Allows a fill of an agent's vault, or declines it")),
  HttpApiEndpoint.post("revokeVaultEntry", "/owner/agents/:handle/entries", {
    params: { handle: Schema.String },
    payload: formOf({ entry: Field, confirm: Field, ...FormToken }),
    success: HtmlText
  }).annotateMerge(describe("none", "Revokes an entry of an agent's vault")),
  HttpApiEndpoint.get("laterOwner", "/owner/agents/:handle/owners/:id", {
    params: { handle: Schema.String, id: Schema.String },
    success: HtmlText
  }).annotateMerge(describe("none", "A later owner of an agent, to an earlier one")),
  HttpApiEndpoint.post("judgeOwner", "/owner/agents/:handle/owners/:id", {
    params: { handle: Schema.String, id: Schema.String },
    payload: formOf({ act: Field, ...FormToken }),
    success: HtmlText
  }).annotateMerge(describe("none", "Approves a later owner, or objects")),
  HttpApiEndpoint.get("captcha", "/owner/captcha/:id", {
    params: { id: Schema.String },
    success: HtmlText
  }).annotateMerge(describe("none", "A captcha of an agent, to one of its owners")),
  HttpApiEndpoint.get("captchaImage", "/owner/captcha/:id/image", {
    params: { id: Schema.String },
    success: ofType("image/*")
  }).annotateMerge(describe("none", "Its picture")),
  HttpApiEndpoint.post("solveCaptcha", "/owner/captcha/:id", {
    params: { id: Schema.String },
    payload: formOf({
      text: Field,
      act: Field,
      taps: Field,
      place: Field,
      "tap.x": Field,
      "tap.y": Field,
      ...FormToken
    }),
    success: HtmlText
  }).annotateMerge(describe("none", "Answers it")),
  HttpApiEndpoint.get("signUpForm", "/owner/signup", { success: HtmlText }).annotateMerge(
    describe("none", "A form for a new account")
  ),
  HttpApiEndpoint.post("signUp", "/owner/signup", {
    payload: formOf({ name: Field, email: Field, password: Field, ...FormToken }),
    success: HtmlText
  }).annotateMerge(describe("none", "Makes an account")),
  HttpApiEndpoint.get("logInForm", "/owner/login", { query: { next: Field }, success: HtmlText }).annotateMerge(
    describe("none", "A form to log in")
  ),
  HttpApiEndpoint.post("logIn", "/owner/login", {
    payload: formOf({ email: Field, password: Field, code: Field, next: Field, ...FormToken }),
    success: HtmlText
  }).annotateMerge(describe("none", "Opens a session")),
  HttpApiEndpoint.get("passkeyForm", "/owner/login/passkey", {
    query: { next: Field },
    success: HtmlText
  }).annotateMerge(describe("none", "Asks the browser for a passkey")),
  HttpApiEndpoint.post("logInByPasskey", "/owner/login/passkey", {
    payload: formOf({ ...Passkey, next: Field, ...FormToken }),
    success: HtmlText
  }).annotateMerge(describe("none", "Opens a session by it")),
  HttpApiEndpoint.post("logOut", "/owner/logout", { payload: formOf(FormToken), success: HtmlText }).annotateMerge(
    describe("none", "Ends the session")
  ),
  HttpApiEndpoint.get("forgotForm", "/owner/forgot", { query: Linked, success: HtmlText }).annotateMerge(
    describe("none", "Forms for a letter, and for a new password by its link")
  ),
  HttpApiEndpoint.post("forgot", "/owner/forgot", {
    payload: formOf({ email: Field, password: Field, ...Linked, ...FormToken }),
    success: HtmlText
  }).annotateMerge(describe("none", "Asks for the letter, or chooses the new password")),
  HttpApiEndpoint.get("verifyForm", "/owner/verify", { query: Linked, success: HtmlText }).annotateMerge(
    describe("none", "A button that confirms an address")
  ),
  HttpApiEndpoint.post("verify", "/owner/verify", {
    payload: formOf({ ...Linked, ...FormToken }),
    success: HtmlText
  }).annotateMerge(describe("none", "Confirms an address")),
  HttpApiEndpoint.get("settings", "/owner/settings", { success: HtmlText }).annotateMerge(
    describe("none", "The account's settings")
  ),
  HttpApiEndpoint.post("change", "/owner/settings", {
    payload: formOf({
      action: Schema.Literals(SETTINGS_ACTIONS),
      name: Field,
      password: Field,
      changed: Field,
      confirm: Field,
      code: Field,
      session: Field,
      ...Boxes,
      label: Field,
      passkey: Field,
      browser: Field,
      endpoint: Field,
      p256dh: Field,
      auth: Field,
      ...FormToken
    }),
    success: HtmlText
  }).annotateMerge(describe("none", "Changes one of the settings")),
  HttpApiEndpoint.get("pushWorker", "/owner/push.js", {
    success: ofType("text/javascript; charset=utf-8")
  }).annotateMerge(describe("none", "The service worker that shows push messages")),
  HttpApiEndpoint.post("addPasskey", "/owner/settings/passkey", {
    payload: formOf({ ...Passkey, ...FormToken }),
    success: HtmlText
  }).annotateMerge(describe("none", "Adds the passkey that the browser made"))
)
