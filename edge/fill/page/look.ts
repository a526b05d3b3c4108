/** Runs in the page: finds elements that a person could see and type into. */
import type { PageDocument, PageElement, PageRoot, PageWindow } from "./dom.ts"

declare const document: PageDocument
declare const window: PageWindow

const ELEMENTS_MAX = 30_000
const SMALLEST_PX = 12
const FAINTEST = 0.2
const ANCESTORS_MAX = 200

/** Up to `ELEMENTS_MAX` elements below `root` in the order of the document, also in open shadow roots. */
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

/** The surrounding element. For the outermost element of a shadow root it is the root's host. */
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

/** Tests the middle of the element, and a point left of it, because a button may cover the middle of a field. */
function isOnTop(element: PageElement): boolean {
  const { left, top, width, height } = element.getBoundingClientRect()
  const labels = [...(element.labels ?? [])]
  return [0.5, 0.25].some((part) => {
    const [x, y] = [left + width * part, top + height / 2]
    const over = element.getRootNode().elementFromPoint(x, y)
    if (over === null) return false
    if (over === element || element.contains(over)) return true
    // The visible content of a button may come from its host through a slot.
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
  // The element is scrolled to the middle of the window, where a fixed element, such as a bar at the edge, does not
  // cover it.
  if (!isInView(element) || !isOnTop(element))
    element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" })
  return isInView(element) ? isOnTop(element) : isSeen(element) && isOnTop(element)
}

/**
 * True if the element is neither disabled, read-only, inert nor hidden by `aria-hidden`. With `readOnly`, the attribute
 * `readonly` does not matter.
 */
export function isOpen(element: PageElement, readOnly = false): boolean {
  if (element.disabled === true || (element.readOnly === true && !readOnly)) return false
  if (element.matches(":disabled") || element.getAttribute("aria-disabled") === "true") return false
  if (element.getAttribute("aria-readonly") === "true") return false
  return nearest(element, '[inert], [aria-hidden="true"]') === null
}
