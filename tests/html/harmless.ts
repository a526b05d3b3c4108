/** What a page may be made of, and that nothing came of what strangers wrote into it. */
import { expect } from "vitest"
import { VISIBLE } from "../../schemas/plain-text.ts"
import type { Visit } from "../support/browser.ts"
import { type ElementShape, look, type Look, overflow, touchEverything } from "./in-page.ts"

/** What may stand in a head. Each with the names of its attributes. */
const HEAD: ReadonlySet<string> = new Set([
  "meta charset",
  "meta name content",
  "meta property content",
  "title",
  "link rel href",
  "link rel type href",
  "link rel type href title",
  "link rel href type sizes",
  "style"
])

const CLASSES = new RegExp(
  `^(${[
    "skip|bar|brand|enter|foot|who|who agent|who hero|faint|text|facts|figures|tile|score|number|links|host|wide|by-agent",
    "left|center|right|title|rows|rows people|row|row agent|agent|brief|excerpt|tags|badges|badge|badge (good|bad)|more",
    "ways|columns|sided|filters|choices|pager|search|replies|reply|reply accepted|cards|plain|plain files|unseen",
    "keys|chain|chain-now"
  ].join("|")})$`
)

/** Elements with nothing but a class and a direction. */
const PLAIN =
  "main nav article header footer section h1 h2 h3 h4 h5 h6 p a bdi dl dt dd div ul ol li table caption thead tbody tr th td time span code pre blockquote hr br em strong s mark".split(
    " "
  )

const NUMBER = /^-?\d{0,3}(\.\d)?$/
const COLOR = /^#[0-9a-f]{6}$/

/** Pictures of agents, lines of scores and signs: shapes of numbers and colors, and nothing else. */
const DRAWN: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  svg: {
    class: /^(picture|spark)$/,
    viewBox: /^0 (0|-0\.5) \d+ \d+$/,
    width: NUMBER,
    height: NUMBER,
    "shape-rendering": /^crispEdges$/,
    preserveAspectRatio: /^none$/,
    "aria-hidden": /^true$/
  },
  rect: { y: NUMBER, width: NUMBER, height: NUMBER, rx: NUMBER, fill: COLOR },
  path: { d: /^[MVh\d. ]+$/, stroke: COLOR },
  circle: { cx: NUMBER, cy: NUMBER, r: NUMBER },
  polyline: { points: /^[\d., ]+$/ }
}

/** Every element that a page may have, with every attribute that it may have and what its value may be. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  ...Object.fromEntries(PLAIN.map((tag) => [tag, { class: CLASSES, dir: /^auto$/ }])),
  a: {
    class: /^(skip|enter|first)$/,
    href: /^(#content$|#reply-\d+$|https?:\/\/)/,
    rel: /^(nofollow ugc( noopener noreferrer)?|next|prev)$/,
    "aria-current": /^true$/
  },
  bdi: { class: /^host$/, dir: /^ltr$/ },
  nav: { "aria-label": /^(Hub|Order|Kind|Status|Pages|Search in)$/, class: /^(choices|pager)$/ },
  main: { id: /^content$/, class: /^broad$/, tabindex: /^-1$/ },
  span: { class: CLASSES, dir: /^auto$/, "aria-hidden": /^true$/ },
  pre: { dir: /^auto$/, tabindex: /^0$/ },
  section: { "aria-labelledby": /^[a-z]+$/ },
  article: { id: /^reply-\d+$/, class: /^reply( accepted)?$/ },
  h2: {
    id: /^(links|facts|figures|scores|transparency|sponsors|key|verify|threads|posts|discussed|agents|categories|text|replies|files)$/,
    class: /^unseen$/
  },
  div: {
    class: /^(wide|wide changes|by-agent|tile|columns|sided|filters)$/,
    role: /^group$/,
    "aria-label": /^(Table|Latest changes of the scores)$/,
    tabindex: /^0$/
  },
  ol: { start: /^\d{1,9}$/, class: /^(replies|brief|keys)$/ },
  th: { scope: /^col$/, class: /^(left|center|right)$/, dir: /^auto$/ },
  time: { datetime: /^\d{4}-\d\d-\d\dT[\d:.]+Z$/, title: /^\d{1,2} [A-Z][a-z]+ \d{4} at \d\d:\d\d UTC$/ },
  form: { class: /^(search|find)$/, role: /^search$/, "aria-label": /^Hub$/, action: /^\/search$/ },
  label: { for: /^q$/ },
  input: {
    id: /^q$/,
    name: /^(q|type|sort)$/,
    type: /^(search|hidden)$/,
    dir: /^auto$/,
    maxlength: /^\d+$/,
    value: /^[^]*$/,
    "aria-label": /^Find in Hub$/,
    placeholder: /^Find in Hub$/
  },
  button: { "aria-label": /^Find$/ },
  ...DRAWN
}

export const isAllowed = ({ tag, attributes }: ElementShape): boolean =>
  Object.entries(attributes).every(([name, value]) => ALLOWED[tag]?.[name]?.test(value) === true) &&
  ALLOWED[tag] !== undefined

const onlyOurs = ({ head, body, parts, links }: Look): void => {
  expect(head.filter((element) => !HEAD.has(element))).toEqual([])
  expect(body.filter((element) => !isAllowed(element))).toEqual([])
  expect(parts.map((part) => part.replace(/\.broad$/, ""))).toEqual(["a.skip", "header.bar", "main", "footer.foot"])
  expect(links.filter((name) => !VISIBLE.test(name))).toEqual([])
}

/** No element or attribute that is not ours, none that leaks out of its place, none without a name; and nothing run, asked for, opened or left; nor is anything wider than the window. */
export const expectHarmless = async (visit: Visit, url: string): Promise<void> => {
  expect(visit.status()).toBe(200)
  // Everything is looked at before anything is touched: one call, because each costs a round trip to the browser.
  const seen = await visit.page.evaluate(`(() => {
    const seen = (${look.toString()})();
    (${touchEverything.toString()})();
    return { ...seen, overflow: (${overflow.toString()})() };
  })()`)
  const { overflow: wider, ...found } = seen as Look & { readonly overflow: number }
  onlyOurs(found)
  // A script that was set off by the touch has run by the next call.
  expect(await visit.page.evaluate("window.__pwned")).toBeUndefined()
  const { requests, dialogs, windows, complaints, page } = visit
  expect({ requests, dialogs, windows, complaints, url: page.url() }).toEqual({
    requests: [url],
    dialogs: [],
    windows: [],
    complaints: [],
    url
  })
  expect(wider).toBe(0)
}
