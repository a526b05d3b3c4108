/**
 * Functions that run in the page. Each is sent there as its source, so it uses nothing from outside itself; of the
 * document, it knows what is declared here.
 */
interface Rectangle {
  readonly top: number
  readonly width: number
  readonly height: number
}

interface Element {
  readonly tagName: string
  readonly className: string
  readonly children: Iterable<Element>
  readonly textContent: string
  readonly innerText: string
  readonly scrollWidth: number
  readonly clientWidth: number
  readonly parentElement: Element | null
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>
  readonly childNodes: Iterable<{ readonly nodeType: number; readonly textContent: string }>
  readonly getAttribute: (name: string) => string | null
  readonly closest: (selector: string) => Element | null
  readonly getBoundingClientRect: () => Rectangle
  readonly focus?: () => void
  readonly dispatchEvent: (event: object) => boolean
}

interface Style {
  readonly color: string
  readonly backgroundColor: string
  readonly outlineStyle: string
  readonly outlineWidth: string
  readonly outlineColor: string
  readonly visibility: string
}

declare const document: {
  readonly documentElement: Element
  readonly body: Element
  readonly activeElement: Element | null
  readonly querySelectorAll: (selector: string) => Iterable<Element>
}
declare const Event: new (type: string, options: { readonly bubbles: boolean }) => object
declare const getComputedStyle: (element: Element) => Style

export interface TextShown {
  readonly text: string
  readonly colour: string
  /** Of the element itself and of all around it, innermost first. */
  readonly grounds: ReadonlyArray<string>
}

/** Every stretch of text that is to be seen, with what it is drawn in and on. */
export const textsShown = (): ReadonlyArray<TextShown> => {
  const found: Array<TextShown> = []
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes]
      .filter(({ nodeType }) => nodeType === 3)
      .map(({ textContent }) => textContent)
      .join("")
      .trim()
    const { width, height } = element.getBoundingClientRect()
    if (own === "" || width === 0 || height === 0) continue
    const grounds: Array<string> = []
    for (let around: Element | null = element; around !== null; around = around.parentElement)
      grounds.push(getComputedStyle(around).backgroundColor)
    found.push({ text: own.slice(0, 60), colour: getComputedStyle(element).color, grounds })
  }
  return found
}

export const headings = (): ReadonlyArray<readonly [level: number, text: string]> =>
  [...document.querySelectorAll("h1, h2, h3, h4, h5, h6")].map((heading) => [
    Number(heading.tagName.slice(1)),
    heading.innerText
  ])

export interface ElementShape {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
}

export interface Look {
  /** Each element's tag, and the names of its attributes. */
  readonly head: ReadonlyArray<string>
  readonly body: ReadonlyArray<ElementShape>
  /** The children of the body: tag and class. */
  readonly parts: ReadonlyArray<string>
  readonly links: ReadonlyArray<string>
}

/** The elements of the head and the body, the parts of the body, and the texts of all links. */
export const look = (): Look => {
  const namesOf = (element: Element): ReadonlyArray<string> => [...element.attributes].map(({ name }) => name)
  return {
    head: [...document.querySelectorAll("head *")].map((element) =>
      [element.tagName.toLowerCase(), ...namesOf(element)].join(" ")
    ),
    body: [...document.querySelectorAll("body *")].map((element) => ({
      tag: element.tagName.toLowerCase(),
      attributes: Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value]))
    })),
    parts: [...document.body.children].map(({ tagName, className }) =>
      className === "" ? tagName.toLowerCase() : `${tagName.toLowerCase()}.${className}`
    ),
    links: [...document.querySelectorAll("a")].map((link) => link.innerText)
  }
}

/** How much wider than the window the page is. */
export const overflow = (): number => document.documentElement.scrollWidth - document.documentElement.clientWidth

export const linkAddresses = (): ReadonlyArray<string> =>
  [...document.querySelectorAll("a")].map((link) => link.getAttribute("href") ?? "")

/** What can be reached by keyboard, in the order of the document. */
export const reachable = (): ReadonlyArray<string> =>
  [...document.querySelectorAll("a[href], [tabindex='0'], input:not([type='hidden']), button")]
    .filter((element) => element.closest("[hidden]") === null)
    .map((element) => element.getAttribute("aria-label") ?? element.innerText)

export interface Focus {
  readonly name: string
  readonly style: string
  readonly width: number
  readonly colour: string
  readonly grounds: ReadonlyArray<string>
}

export const focus = (): Focus | null => {
  const element = document.activeElement
  if (element === null || element === document.body) return null
  const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element)
  const grounds: Array<string> = []
  for (let around = element.parentElement; around !== null; around = around.parentElement)
    grounds.push(getComputedStyle(around).backgroundColor)
  return {
    name: element.getAttribute("aria-label") ?? element.innerText,
    style: outlineStyle,
    width: Number.parseFloat(outlineWidth),
    colour: outlineColor,
    grounds
  }
}

/** As a reader would who goes over the whole page. */
export const touchEverything = (): void => {
  for (const element of document.querySelectorAll("body *")) {
    for (const type of ["mouseover", "mouseenter", "pointerover", "toggle", "animationend"])
      element.dispatchEvent(new Event(type, { bubbles: true }))
    element.focus?.()
  }
}
