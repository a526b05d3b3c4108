/**
 * Runs in the page: finds a captcha that must be solved before the form can be sent. It examines only the top document,
 * and frames by their elements.
 */
import type { PageDocument, PageElement, PageWindow } from "./dom.ts"
import { everything, isOpen, isReachable } from "./look.ts"
import { known, labelOf } from "./scan.ts"

declare const document: PageDocument
declare const window: PageWindow

export interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Zone {
  readonly kind: "box" | "text" | "taps"
  /** The element to click, or to type the answer into. */
  readonly n: number
  /** A button that submits the tapped tiles. */
  readonly confirm: number | null
  /** The part of the window that an owner sees. */
  readonly area: Area
  /** True if the picture shows nothing that was typed into other fields. */
  readonly clean: boolean
}

const TOKENS = '[name="g-recaptcha-response"], [name="h-captcha-response"], [name="cf-turnstile-response"]'
const ASKS = /captcha|turnstile|not a robot|kein roboter|pas un robot|no soy un robot|non sono un robot|human|bframe/i
const CONFIRMS = /verify|submit|confirm|check|weiter|next|skip|done|ok/i
const CHALLENGE_PX = 150
const PICTURE_MIN_PX = 16
const ZONE_MAX_PX = 800
const PICTURE_LEVELS_UP = 4
const FRAME_BOX_PX = 30

function marksOf(element: PageElement): string {
  const marks = ["id", "name", "class", "title", "aria-label", "src", "alt", "placeholder"]
  return marks
    .map((name) => element.getAttribute(name) ?? "")
    .join(" ")
    .slice(0, 1_000)
}

function asks(element: PageElement): boolean {
  return ASKS.test(marksOf(element)) || (element.matches("input, [role=checkbox]") && ASKS.test(labelOf(element)))
}

function areaOf(element: PageElement): Area {
  const { left: x, top: y, width, height } = element.getBoundingClientRect()
  return { x, y, width, height }
}

function isClean({ x, y, width, height }: Area, own: PageElement | null, all: ReadonlyArray<PageElement>): boolean {
  return all.every((element) => {
    if (element === own || !element.matches("input, textarea, select") || (element.value ?? "") === "") return true
    if (["hidden", "submit", "button", "checkbox", "radio"].includes(element.type ?? "")) return true
    const box = element.getBoundingClientRect()
    return box.left >= x + width || box.right <= x || box.top >= y + height || box.bottom <= y
  })
}

const fits = ({ width, height }: Area): boolean =>
  width <= ZONE_MAX_PX && height <= ZONE_MAX_PX && width >= PICTURE_MIN_PX && height >= PICTURE_MIN_PX

const isBig = ({ width, height }: Area): boolean => width >= CHALLENGE_PX && height >= CHALLENGE_PX

const isUsable = (element: PageElement): boolean => isOpen(element) && isReachable(element)
const isTicked = (element: PageElement): boolean =>
  element.checked === true || element.getAttribute("aria-checked") === "true"

/** The picture next to the field into which its letters are typed. */
function pictureBy(field: PageElement): PageElement | null {
  let at = field.parentElement
  for (let up = 0; at !== null && up < PICTURE_LEVELS_UP; up++) {
    const found = [...at.querySelectorAll("img, canvas, svg")].find((one) => fits(areaOf(one)) && isReachable(one))
    if (found !== undefined) return found
    at = at.parentElement
  }
  return null
}

function zoneOf(
  kind: Zone["kind"],
  target: PageElement,
  {
    shown = target,
    all,
    confirm
  }: { shown?: PageElement; all: ReadonlyArray<PageElement>; confirm?: PageElement | undefined }
): Zone {
  const number = (element: PageElement): number => known.push(element) - 1
  const area = areaOf(shown)
  return {
    kind,
    n: number(target),
    confirm: confirm === undefined ? null : number(confirm),
    area,
    clean: fits(area) && isClean(area, target, all)
  }
}

function textZone(all: ReadonlyArray<PageElement>): Zone | null {
  const field = all.find((one) => one.matches("input") && ["text", "tel", ""].includes(one.type ?? "") && asks(one))
  if (field === undefined || (field.value ?? "") !== "" || !isUsable(field)) return null
  const shown = pictureBy(field)
  return shown === null ? null : zoneOf("text", field, { shown, all })
}

function tapsZone(all: ReadonlyArray<PageElement>): Zone | null {
  const zones = all.filter(
    (one) =>
      one.matches("iframe, div, section, canvas, img, fieldset") && asks(one) && isBig(areaOf(one)) && isReachable(one)
  )
  // The innermost matching element, unless it has a field for typed letters.
  const zone = zones.find((one) => !zones.some((other) => other !== one && one.contains(other)))
  if (zone === undefined || zone.querySelectorAll("input[type=text], input:not([type])").length > 0) return null
  const buttons = [...zone.querySelectorAll('button, [role="button"], input[type="submit"]')]
  const confirm = buttons.find((one) => CONFIRMS.test(`${one.textContent ?? ""} ${marksOf(one)}`) && isUsable(one))
  return zoneOf("taps", zone, { all, confirm })
}

function boxZone(all: ReadonlyArray<PageElement>): Zone | null {
  const box = all.find(
    (one) => one.matches('input[type="checkbox"], [role="checkbox"]') && asks(one) && !isTicked(one) && isUsable(one)
  )
  if (box !== undefined) return zoneOf("box", box, { all })
  const frame = all.find((one) => one.matches("iframe") && asks(one) && fits(areaOf(one)) && isReachable(one))
  return frame === undefined ? null : zoneOf("box", frame, { all })
}

/** The captcha of the page; `null` if there is none, or it is solved. */
export function captchaZone(): Zone | null {
  const all = everything(document)
  if (all.some((one) => one.matches(TOKENS) && (one.value ?? "") !== "")) return null
  return tapsZone(all) ?? textZone(all) ?? boxZone(all)
}

/** The point in the window of a part of the element. Without a part, the point of the box to tick. */
export function zonePoint(
  n: number,
  part: { readonly x: number; readonly y: number } | null
): { x: number; y: number } | null {
  const element = known[n]
  if (element === undefined || !element.isConnected || !isReachable(element)) return null
  const { x, y, width, height } = areaOf(element)
  if (part !== null) return { x: x + width * part.x, y: y + height * part.y }
  const isFrame = element.matches("iframe")
  return { x: x + (isFrame ? Math.min(FRAME_BOX_PX, width / 2) : width / 2), y: y + height / 2 }
}

export function scrolled(): { readonly x: number; readonly y: number } {
  return { x: window.scrollX, y: window.scrollY }
}
