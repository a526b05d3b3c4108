/** The page of a captcha for its owner, the picture, and the form that answers it (spec 4.10; contract 20). */
import { Effect, Schema } from "effect"
import { CAPTCHA_LIMITS } from "../../schemas/captcha/limits.ts"
import { CaptchaAnswer, Tap } from "../../schemas/captcha/records.ts"
import type { Bus } from "../bus/bus.ts"
import type { CaptchaRecord, Solving } from "./solving.ts"
import { withProblems, type Member, type OwnerSpace, type PageAnswer } from "../human/index.ts"
import type { Call } from "../http/call.ts"
import type { Refused } from "../http/refused.ts"
import { captchaPage, captchaPath, formName, displaySize, type Size } from "./view.ts"
import { NO_PROBLEMS, type Problems } from "../kit/owner/fields.ts"
import { ownerPageHeaders } from "../kit/owner/headers.ts"

interface CaptchaRequest {
  readonly params: { readonly id: string }
}

interface CaptchaForm {
  readonly form_token?: string
  readonly text?: string
  readonly act?: string
  readonly taps?: string
  readonly place?: string
  readonly "tap.x"?: string
  readonly "tap.y"?: string
}

const { captcha_taps_max, captcha_text_max_chars } = CAPTCHA_LIMITS

/** Matches a position in a picture, in pixels. */
const DIGITS = /^\d{1,4}$/
const PERCENT = /^\d{1,3}(\.\d{1,2})?$/
const DECIMALS = 10_000

const isTap = Schema.is(Tap)
const isAnswer = Schema.is(CaptchaAnswer)

const rounded = (part: number): number => Math.round(part * DECIMALS) / DECIMALS

/** The place of a tap. Pressing the button by keyboard sends its upper left corner, which is no tap. */
const tapIn = (form: CaptchaForm, { width, height }: Size): Tap | null => {
  const [x, y] = [form["tap.x"], form["tap.y"]]
  if (x === undefined || y === undefined || !DIGITS.test(x) || !DIGITS.test(y)) return null
  if (Number(x) === 0 && Number(y) === 0) return null
  const tap = { x: rounded(Number(x) / width), y: rounded(Number(y) / height) }
  return isTap(tap) ? tap : null
}

/** A typed position: percent from the left and from the top. */
const typedTap = (place: string): Tap | null => {
  const parts = place.split(/[\s,;%]+/).filter((part) => part !== "")
  if (parts.length !== 2 || !parts.every((part) => PERCENT.test(part))) return null
  const [x = 0, y = 0] = parts.map((part) => rounded(Number(part) / 100))
  return isTap({ x, y }) ? { x, y } : null
}

const tapsIn = ({ taps = "" }: CaptchaForm): ReadonlyArray<Tap> =>
  taps
    .split(" ", captcha_taps_max)
    .filter((one) => one !== "")
    .map((one) => {
      const [x, y] = one.split(",", 2).map(Number)
      return { x, y }
    })
    .filter(isTap)

type Meant =
  | { readonly answer: CaptchaAnswer }
  | { readonly taps: ReadonlyArray<Tap>; readonly problems: Problems; readonly status: number }

const wrong = (taps: ReadonlyArray<Tap>, problems: Problems): Meant => ({ taps, problems, status: 422 })

const goingOn = (taps: ReadonlyArray<Tap>): Meant => ({ taps, problems: NO_PROBLEMS, status: 200 })

const tapped = (form: CaptchaForm, size: Size): Meant => {
  const before = tapsIn(form)
  const pointed = tapIn(form, size)
  if (pointed === null && form.act === "undo") return goingOn(before.slice(0, -1))
  const place = (form.place ?? "").trim()
  const isDone = pointed === null && form.act === "done"
  const tap = pointed ?? typedTap(place)
  if (tap === null) {
    if (!isDone || place !== "") return wrong(before, { place: "Two parts of a hundred, such as 25 40." })
    return before.length > 0 ? { answer: { taps: before } } : wrong(before, { taps: "Tap the picture first." })
  }
  if (before.length === captcha_taps_max)
    return wrong(before, { taps: `More than ${captcha_taps_max} taps are not taken.` })
  const taps = [...before, tap]
  return isDone ? { answer: { taps } } : goingOn(taps)
}

const meant = (form: CaptchaForm, { captcha: { kind }, picture }: CaptchaRecord): Meant => {
  const size = displaySize(picture)
  switch (kind) {
    case "text": {
      const answer = { text: (form.text ?? "").trim() }
      return isAnswer(answer)
        ? { answer }
        : wrong([], { text: `Type what it shows, in at most ${captcha_text_max_chars} characters.` })
    }
    case "checkbox": {
      const tap = tapIn(form, size)
      return { answer: { checked: true, ...(tap === null ? {} : { taps: [tap] }) } }
    }
    case "taps":
      return tapped(form, size)
  }
}

const isOver = ({ refusal: { code } }: Refused): boolean => code === "captcha_not_pending"

export const captchaPages = (space: OwnerSpace, solving: Solving, bus: Bus) => {
  const page = (
    call: Call,
    member: Member,
    shown: CaptchaRecord,
    { taps, problems, status }: Exclude<Meant, { readonly answer: CaptchaAnswer }>
  ): PageAnswer =>
    Effect.map(bus.read(call, { actor: shown.agent, op: "content.author", input: null }), (author) => {
      const made = captchaPage(space, member, { ...shown, author, taps, problems })
      return space.page(call, member, status === 200 ? made : withProblems(made, status))
    })

  const FRESH = { taps: [], problems: NO_PROBLEMS, status: 200 } as const

  return {
    captcha: (call: Call, { params }: CaptchaRequest): PageAnswer =>
      space.asMember(call, (member) =>
        Effect.flatMap(solving.shown(call, member.person.human, params.id), (shown) => page(call, member, shown, FRESH))
      ),
    captchaImage: (call: Call, { params }: CaptchaRequest): PageAnswer =>
      space.asMember(call, (member) =>
        Effect.gen(function* () {
          const shown = yield* solving.shown(call, member.person.human, params.id)
          const bytes = yield* solving.picture(call, shown)
          Object.assign(call.headers, ownerPageHeaders)
          const headers = { "content-type": `image/${shown.picture.type}`, "x-content-type-options": "nosniff" }
          return { status: 200, headers, body: bytes }
        })
      ),
    solveCaptcha: (call: Call, { params, form }: CaptchaRequest & { readonly form: CaptchaForm }): PageAnswer =>
      space.asMember(call, (member) =>
        Effect.gen(function* () {
          const { human } = member.person
          const shown = yield* solving.shown(call, human, params.id)
          yield* space.taken(call, member, formName(shown.captcha.id), form)
          const what = meant(form, shown)
          if (!("answer" in what)) return yield* page(call, member, shown, what)
          // Another owner has answered, or the time is over. The page says which.
          yield* Effect.catchIf(solving.answer(call, human, params.id, what.answer), isOver, () => Effect.void)
          return space.goTo(call, captchaPath(params.id), "captcha_sent")
        })
      )
  }
}
