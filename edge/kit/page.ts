/** A document of the service's own as a page for humans. */
import Markdown from "markdown-it"
import { HTML_TYPE } from "../../schemas/page.ts"
import { type Document, documentOf } from "../http/documents.ts"
import { anchors } from "./anchors.ts"
import { markup } from "./html.ts"
import { pageHeaders, publicPageText, type Site } from "./layout.ts"
import { wideTables } from "./tables.ts"

/** Raw HTML in the source is shown as text. */
const markdown = anchors(wideTables(new Markdown({ html: false, linkify: false, typographer: false })))

/** What scrolls must be reachable by keyboard. */
const accessible = (text: string): string => text.replaceAll("<pre>", '<pre tabindex="0">')

export const pageOfMarkdown = (site: Site, title: string, description: string, source: string): Document =>
  documentOf(
    publicPageText(site, { title, description, section: "/docs", main: markup(accessible(markdown.render(source))) }),
    HTML_TYPE,
    pageHeaders
  )
