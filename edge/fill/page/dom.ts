/**
 * The types of the DOM that this code uses. They are declared here so that the rest of the project does not get the
 * types of a browser.
 */

export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
  readonly width: number
  readonly height: number
}

export interface PageRoot {
  readonly host?: PageElement
  readonly activeElement: PageElement | null
  querySelectorAll(selector: string): ArrayLike<PageElement> & Iterable<PageElement>
  elementFromPoint(x: number, y: number): PageElement | null
  getElementById(id: string): PageElement | null
}

export interface PageElement {
  readonly tagName: string
  readonly isConnected: boolean
  readonly shadowRoot: PageRoot | null
  readonly parentElement: PageElement | null
  readonly previousElementSibling: PageElement | null
  readonly textContent: string | null
  readonly form?: PageElement | null
  readonly labels?: Iterable<PageElement> | null
  readonly options?: Iterable<PageOption>
  readonly type?: string
  readonly disabled?: boolean
  readonly readOnly?: boolean
  readonly checked?: boolean
  readonly maxLength?: number
  readonly minLength?: number
  readonly clientLeft?: number
  readonly clientTop?: number
  readonly offsetWidth?: number
  value?: string
  getAttribute(name: string): string | null
  hasAttribute(name: string): boolean
  getBoundingClientRect(): Box
  getRootNode(): PageRoot
  closest(selector: string): PageElement | null
  matches(selector: string): boolean
  contains(other: PageElement | null): boolean
  querySelectorAll(selector: string): ArrayLike<PageElement> & Iterable<PageElement>
  checkVisibility(options: object): boolean
  scrollIntoView(options: object): void
  focus(options?: object): void
  blur(): void
  select?(): void
  /** The content that is assigned to a slot. */
  assignedNodes?(): ReadonlyArray<{ readonly textContent: string | null }>
  dispatchEvent(event: object): boolean
}

export interface PageOption {
  readonly value: string
  readonly text: string
  readonly disabled: boolean
}

export interface PageWindow {
  readonly scrollX: number
  readonly scrollY: number
  readonly innerWidth: number
  readonly innerHeight: number
  /** "null" in a sandbox without `allow-same-origin`, whatever the address is. */
  readonly origin: string
  readonly location: { readonly origin: string; readonly href: string }
  scrollTo(options: object): void
  getComputedStyle(element: PageElement): Readonly<Record<string, string>>
}

export interface PageDocument extends PageRoot {
  readonly readyState: string
  readonly documentElement: { readonly scrollWidth: number; readonly lang: string }
  execCommand(command: string, ui: boolean, value: string): boolean
}

/** Describes an element without its current value. */
export interface Fact {
  readonly n: number
  readonly form: number
  readonly tag: string
  readonly type: string
  readonly autocomplete: string
  readonly name: string
  readonly id: string
  readonly label: string
  readonly hint: string
  readonly mode: string
  readonly max: number
  readonly min: number
  readonly pattern: string
  readonly rules: string
  readonly full: boolean
  readonly required: boolean
  readonly options: ReadonlyArray<{ readonly value: string; readonly text: string }>
}

export interface ButtonFact {
  readonly n: number
  readonly form: number
  readonly text: string
  readonly submits: boolean
}

export interface FormFact {
  readonly form: number
  /** True if the form may be sent to an address without https. */
  readonly insecure: boolean
  /** The origins that the form may be sent to, by its own address or by its buttons'. */
  readonly targets: ReadonlyArray<string>
}

export interface Scan {
  readonly origin: string
  readonly fields: ReadonlyArray<Fact>
  readonly buttons: ReadonlyArray<ButtonFact>
  readonly forms: ReadonlyArray<FormFact>
}
