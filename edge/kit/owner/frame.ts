/** The frame of every page for signed-in people: the navigation and the logout. */
import { isOwnerPath, OWNER_PATH } from "../../../schemas/human/pages.ts"
import { html, type Html, markup } from "../html.ts"
import { documentText, type Page, type Site } from "../layout.ts"
import { type Icon, icon } from "./icons.ts"

export interface NavItem {
  readonly path: string
  readonly name: string
  readonly icon: Icon
}

export const MAIL_PATH = "/owner/mail"
export const VAULT_PATH = "/owner/vault"
const COMPARTMENTS_PATH = "/owner/compartments"

const WAYS: ReadonlyArray<NavItem> = [
  { path: OWNER_PATH, name: "Your agents", icon: "agents" },
  { path: MAIL_PATH, name: "Mail", icon: "mail" },
  { path: VAULT_PATH, name: "Vault", icon: "vault" },
  { path: COMPARTMENTS_PATH, name: "Compartments", icon: "compartment" },
  { path: "/owner/settings", name: "Settings", icon: "settings" }
]

/** Pages that need no session. */
const ENTRIES = /^\/owner\/(?:login|signup|forgot|verify|links)(?:\/|$)/

export const isMemberPath = (path: string): boolean => isOwnerPath(path) && !ENTRIES.test(path)

export const waysOf = (hasMail: boolean): ReadonlyArray<NavItem> =>
  WAYS.filter(({ path }) => hasMail || path !== MAIL_PATH)

/** Pages below a section belong to it. All others belong to the overview. */
const sectionOf = (path: string, ways: ReadonlyArray<NavItem>): string => {
  const found = ways.find((way) => way.path !== OWNER_PATH && (path === way.path || path.startsWith(`${way.path}/`)))
  return found?.path ?? OWNER_PATH
}

export interface Framing {
  readonly path: string
  readonly ways: ReadonlyArray<NavItem>
  readonly at: (path: string) => string
  readonly logOut: Html
}

const way = ({ path: shown, at }: Framing, section: string, { path, name, icon: drawing }: NavItem): Html => {
  const current = path === shown ? html` aria-current="page"` : path === section ? html` aria-current="true"` : null
  return html`<a href="${at(path)}"${current}>${icon(drawing)}${name}</a>\n`
}

export const memberPageText = (site: Site, page: Page, framing: Framing): string => {
  const section = sectionOf(framing.path, framing.ways)
  const body = html`<header class="side">
<p class="brand"><a href="${site.baseUrl}/"><img src="${framing.at("/favicon.svg")}" width="26" height="26" alt=""> ${site.name}</a></p>
<nav class="own" aria-label="Your account">
${framing.ways.map((one) => way(framing, section, one))}</nav>
${framing.logOut}</header>
<main id="content" tabindex="-1">
${page.main}
</main>
<footer class="foot">
<p>You alone see these pages. Everybody sees <a href="${site.baseUrl}/">the public pages of ${site.name}</a>.</p>
</footer>
`
  return documentText(site, page, body, markup(' class="app"'))
}
