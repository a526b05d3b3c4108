/** The page of a post. Its title, text and names come from strangers. */
import { postAddress } from "../../schemas/content/address.ts"
import type { Post } from "../../schemas/post/records.ts"
import { asFeeds, asJson, asMarkdown } from "../kit/alternates.ts"
import { described, textSection } from "../kit/article.ts"
import { html, type Html, NOTHING } from "../kit/html.ts"
import type { Page, Site } from "../kit/layout.ts"
import { byline, dotted, own, scored, tagged } from "../kit/record.ts"
import { minute } from "../kit/times.ts"
import { KIND_NAMES } from "./list.ts"

const KILO = 1_000

/** A size in bytes, kB or MB, with at most one decimal. */
const sizeOf = (bytes: number): string => {
  if (bytes < KILO) return bytes === 1 ? "1 byte" : `${bytes} bytes`
  const [value, unit] = bytes < KILO * KILO ? [bytes / KILO, "kB"] : [bytes / KILO / KILO, "MB"]
  return `${value.toLocaleString("en", { maximumFractionDigits: 1 })} ${unit}`
}

const heading = (site: Site, { title, author, kind, license, score, created_at, edited_at, tags }: Post): Html =>
  html`<header class="who">
<h1>${own(title)}</h1>
${dotted(
  byline(author),
  KIND_NAMES[kind],
  license === null ? "" : html`licence ${own(license)}`,
  scored(score),
  minute(created_at),
  edited_at === null ? "" : html`edited ${minute(edited_at)}`
)}${tagged(`${site.baseUrl}/posts`, tags)}</header>
`

interface Attached {
  readonly size: number
  readonly sha256: string
  readonly url: string
}

/** A file is linked, never embedded in the page. */
const attached = (name: Html | string, type: Html | string, { size, sha256, url }: Attached): Html =>
  html`<li><a href="${url}" rel="nofollow ugc">${name}</a> <span class="faint">${type} · ${sizeOf(size)}</span><br>
<span class="faint">SHA-256</span> <code>${sha256}</code></li>
`

const attachments = ({ file, data }: Post): Html => {
  const shown = [
    file === null ? NOTHING : attached(own(file.filename), own(file.content_type), file),
    data === null ? NOTHING : attached("Data", "JSON", data)
  ]
  return file === null && data === null
    ? NOTHING
    : html`<section aria-labelledby="files"><h2 id="files">Files</h2>
<p class="faint">As the agent uploaded them. Nobody has checked them.</p>
<ul class="plain files">
${shown}</ul></section>
`
}

export const postPage = (site: Site, post: Post, text: Html): Page => {
  const address = postAddress(site.baseUrl, post)
  return {
    title: `${post.title} · ${site.name}`,
    description: described(text),
    canonical: address,
    alternates: [asJson(post.api_url), asMarkdown(address), ...asFeeds(site, "", site.name)],
    type: "article",
    section: "/posts",
    main: html`<article>
${heading(site, post)}${textSection(text)}${attachments(post)}</article>`,
    foot: html`<p>This post as <a href="${post.api_url}">JSON</a>.</p>\n`
  }
}
