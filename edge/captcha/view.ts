/**
 * The page of a captcha for an owner.
 *
 * The picture is at most as wide as a phone, and browsers do not scale it. A tap (`input type=image` sends its place in
 * pixels) is therefore a fraction of its width and height. Earlier taps are in a field of the form.
 */
import { CAPTCHA_LIMITS } from "../../schemas/captcha/limits.ts"
import type { CaptchaKind, Tap } from "../../schemas/captcha/records.ts"
import type { Author } from "../../schemas/content/author.ts"
import type { CaptchaRecord } from "./solving.ts"
import type { Member, OwnerPage, OwnerSpace } from "../human/index.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import { byline, counted } from "../kit/record.ts"
import { minute } from "../kit/times.ts"
import { fieldsOf, hidden, type Problems } from "../kit/owner/fields.ts"

export const captchaPath = (id: number | string): string => `/owner/captcha/${id}`
export const formName = (id: number): string => `captcha.${id}`

/** CSS pixels that a phone of 360 pixels has for the picture. */
const WIDTH_MAX = 320
const DOT = 9

export interface Size {
  readonly width: number
  readonly height: number
}

export const displaySize = ({ width, height }: Size): Size => {
  const scale = Math.min(1, WIDTH_MAX / width)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

export interface CaptchaView extends CaptchaRecord {
  readonly author: Author
  readonly taps: ReadonlyArray<Tap>
  readonly problems: Problems
}

const TASKS: Readonly<Record<CaptchaKind, string>> = {
  text: "Type what the picture shows.",
  checkbox: "Say that the box is ticked, or tap where it is.",
  taps: "Tap the picture wherever it asks you to, then press Done."
}

const PLACE_HINT =
  "In percent, from the left and from the top: 25 40 is a quarter to the right, and less than half way down."

/** Fields for people without a pointer. */
const placing = (
  problems: Problems
): Html => html`<details${problems["place"] === undefined ? null : html` open`}><summary>Without a pointer</summary>
${fieldsOf(
  "captcha",
  [{ name: "place", label: "Place", autocomplete: "off", hint: PLACE_HINT, isOptional: true }],
  problems
)}<button name="act" value="place">Tap there</button></details>
`

const writtenTaps = (taps: ReadonlyArray<Tap>): string => taps.map(({ x, y }) => `${x},${y}`).join(" ")

const dots = ({ width, height }: Size, taps: ReadonlyArray<Tap>): Html => {
  if (taps.length === 0) return NOTHING
  const dot = ({ x, y }: Tap, index: number): Html => {
    const [left, top] = [Math.round(x * width), Math.round(y * height)]
    const circle = html`<circle cx="${left}" cy="${top}" r="${DOT}"/>`
    return html`${circle}<text x="${left}" y="${top + 4}">${index + 1}</text>`
  }
  return html`<svg class="dots" width="${String(width)}" height="${String(height)}" aria-hidden="true">${taps.map(dot)}</svg>`
}

const picture = (space: OwnerSpace, { captcha, picture: of }: CaptchaView): Html => {
  const { width, height } = displaySize(of)
  const source = space.at(`${captchaPath(captcha.id)}/image`)
  return html`<img class="picture" src="${source}" width="${String(width)}" height="${String(height)}" alt="The captcha">\n`
}

const tappable = (space: OwnerSpace, { captcha, picture: of, taps }: CaptchaView): Html => {
  const size = displaySize(of)
  const { width, height } = size
  const source = space.at(`${captchaPath(captcha.id)}/image`)
  const measures = html`width="${width}" height="${height}"`
  const button = html`<input type="image" name="tap" src="${source}" ${measures} alt="The captcha: tap it">`
  return html`<div class="tappable">${button}${dots(size, taps)}</div>\n`
}

const solving = (space: OwnerSpace, member: Member, shown: CaptchaView): Html => {
  const { captcha, taps, problems } = shown
  const form = (fields: Html): Html => space.form(member, formName(captcha.id), captchaPath(captcha.id), fields)
  const problem = problems["taps"]
  switch (captcha.kind) {
    case "text":
      return html`${picture(space, shown)}${form(
        html`${fieldsOf(
          "captcha",
          [{ name: "text", label: "What it shows", autocomplete: "off", value: undefined }],
          problems
        )}<button class="main">Send</button>\n`
      )}`
    case "checkbox":
      return form(
        html`${tappable(space, shown)}<p><button class="main" name="act" value="check">It is ticked</button></p>\n`
      )
    case "taps": {
      const many = html`${counted(taps.length, "tap", "taps")} of ${CAPTCHA_LIMITS.captcha_taps_max} at most.`
      const wrong = problem === undefined ? NOTHING : html`<p class="problem">${problem}</p>\n`
      return form(
        html`${tappable(space, shown)}${hidden("taps", writtenTaps(taps))}<p role="status">${many}</p>
${wrong}<p class="options"><button class="main" name="act" value="done">Done</button>
<button name="act" value="undo">Take the last one back</button></p>
${placing(problems)}`
      )
    }
  }
}

const ENDED = {
  answered: "It is answered.",
  solved: "It is answered, and the answer was right.",
  failed: "It is answered, and the answer was not right.",
  cancelled: "The agent has taken it back.",
  expired: "Its time is over."
} as const

export const captchaPage = (space: OwnerSpace, member: Member, shown: CaptchaView): OwnerPage => {
  const { captcha, author, key } = shown
  const { state, context, origin, expires_at } = captcha
  const where = origin === null ? NOTHING : html`<p>It stands at <bdi>${origin}</bdi>.</p>\n`
  const told =
    context === null || context.trim() === ""
      ? NOTHING
      : html`<p>It says:</p>\n<p class="text" dir="auto">${context}</p>\n`
  const open = state === "pending" && key !== null
  return {
    title: "A captcha",
    main: html`<h1>A captcha</h1>
<p>${byline(author)} needs you for it.</p>
${where}${told}${
      open
        ? html`<p>${TASKS[captcha.kind]} It waits until ${minute(expires_at)}.</p>\n${solving(space, member, shown)}`
        : html`<p class="notice">${state === "pending" ? "Its picture is gone." : ENDED[state]}</p>\n`
    }`
  }
}
