/** Runs in the page: finds what a person would see and could type into. */
import type { PageDocument, PageElement, PageRoot, PageWindow } from "./dom.ts"

declare const document: PageDocument
declare const window: PageWindow

const ELEMENTS_MAX = 30_000
const SMALLEST_PX = 12
const FAINTEST = 0.2
const ANCESTORS_MAX = 200

/** Everything below, in open shadow roots too, in the order of the document. */
export function everything(root: PageRoot): ReadonlyArray<PageElement> {
  const found: Array<PageElement> = []
  const into = (from: PageRoot): void => {
    for (const element of from.querySelectorAll("*")) {
      if (found.length >= ELEMENTS_MAX) return
      found.push(element)
      if (element.shadowRoot !== null) into(element.shadowRoot)
    }
  }
  into(root)
  return found
}

/** The element around it, across the edge of a shadow root. */
export function around(element: PageElement): PageElement | null {
  return element.parentElement ?? element.getRootNode().host ?? null
}

export function nearest(element: PageElement, selector: string): PageElement | null {
  let at: PageElement | null = element
  for (let up = 0; at !== null && up < ANCESTORS_MAX; up++) {
    const found: PageElement | null = at.closest(selector)
    if (found !== null) return found
    at = at.getRootNode().host ?? null
  }
  return null
}

function isFaint(element: PageElement): boolean {
  let opacity = 1
  let at: PageElement | null = element
  for (let up = 0; at !== null && up < ANCESTORS_MAX; up++) {
    opacity *= Number(window.getComputedStyle(at)["opacity"] ?? 1)
    if (opacity < FAINTEST) return true
    at = around(at)
  }
  return false
}

function isSeen(element: PageElement): boolean {
  if (!element.isConnected) return false
  if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true }))
    return false
  const { left, right, top, bottom, width, height } = element.getBoundingClientRect()
  if (width < SMALLEST_PX || height < SMALLEST_PX) return false
  const { scrollX, scrollY } = window
  const beside = right + scrollX <= 0 || left + scrollX >= document.documentElement.scrollWidth
  return !beside && bottom + scrollY > 0 && Number.isFinite(top) && !isFaint(element)
}

/** Looks at the middle, and to the left of it, for a button that lies within the field. */
function isOnTop(element: PageElement): boolean {
  const { left, top, width, height } = element.getBoundingClientRect()
  const labels = [...(element.labels ?? [])]
  return [0.5, 0.25].some((part) => {
    const [x, y] = [left + width * part, top + height / 2]
    const over = element.getRootNode().elementFromPoint(x, y)
    if (over === null) return false
    if (over === element || element.contains(over)) return true
    // A button's visible content may be its host's own, by a slot.
    const { host = null } = element.getRootNode()
    if (host?.contains(over) === true && element.querySelectorAll("slot").length > 0) return true
    // A floating label covers the empty field, but passes clicks on to it.
    return labels.some((label) => label === over || label.contains(over)) && !over.contains(element)
  })
}

function isInView(element: PageElement): boolean {
  const { top, bottom, left, right } = element.getBoundingClientRect()
  return top >= 0 && left >= 0 && bottom <= window.innerHeight && right <= window.innerWidth
}

export function isReachable(element: PageElement): boolean {
  if (!isSeen(element)) return false
  // A fixed element, such as a bar at the window's edge, does not cover its middle.
  if (!isInView(element) || !isOnTop(element))
    element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" })
  return isInView(element) ? isOnTop(element) : isSeen(element) && isOnTop(element)
}

/** Somebody may type into it, and not only a program that fills whatever it meets. */
export function isOpen(element: PageElement, readOnly = false): boolean {
  if (element.disabled === true || (element.readOnly === true && !readOnly)) return false
  if (element.matches(":disabled") || element.getAttribute("aria-disabled") === "true") return false
  if (element.getAttribute("aria-readonly") === "true") return false
  return nearest(element, '[inert], [aria-hidden="true"]') === null
}
