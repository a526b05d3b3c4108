/**
 * The documents that the service serves: the reference, its chapters and the other documents, as markdown and as pages.
 */
import { readFile } from "node:fs/promises"
import { Effect } from "effect"
import { RUNTIME_TERMS_VERSIONS } from "../../schemas/compartment/records.ts"
import { notFound } from "../../schemas/errors.ts"
import { PLAIN_TYPE, SVG_TYPE } from "../../schemas/introduction/pages.ts"
import type { EdgeConfig } from "../http/config.ts"
import { type Document, documentOf, IMAGE_HEADERS } from "../http/documents.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { aloneText, chaptersOf, contentsTable } from "./chapters.ts"
import { Described } from "./described.ts"
import { pageOfMarkdown } from "./document-page.ts"
import { filledIn } from "./fill-in.ts"
import { apiCatalog, robotsText, skillText } from "./introduction.ts"

type TermsVersion = (typeof RUNTIME_TERMS_VERSIONS)[number]

export interface InTwoForms {
  readonly markdown: Document
  readonly page: Document
}

export interface Documents {
  readonly reference: Document
  readonly referencePage: Document
  /** Chapters by slug, in the order of the reference. */
  readonly chapters: ReadonlyMap<string, InTwoForms>
  /** Complete clients, each in one language. */
  readonly javascript: Document
  readonly javascriptPage: Document
  readonly python: Document
  readonly pythonPage: Document
  readonly shell: Document
  readonly shellPage: Document
  /** Sealing a vault's entry, in three languages. */
  readonly seal: Document
  readonly sealPage: Document
  readonly hubId: Document
  readonly hubIdPage: Document
  readonly runtimeTerms: Readonly<Record<TermsVersion, Document>>
  readonly described: Described
  /** The website verifier as plain JavaScript, and its guide. */
  readonly verifier: Document
  readonly verify: Document
  readonly verifyPage: Document
  /** For programs that know only the address (introduction.ts). */
  readonly skill: Document
  readonly llms: Document
  readonly robots: Document
  readonly apiCatalog: Document
  readonly icon: Document
}

export type DocumentName = {
  readonly [Name in keyof Documents]: Documents[Name] extends Document ? Name : never
}[keyof Documents]

/** Written by `npm run contracts`, committed and served unchanged. */
const VERIFIER = new URL("../sdk/verify.bundle.js", import.meta.url)

const ICON = new URL("icon.svg", import.meta.url)

const MARKDOWN = "text/markdown; charset=utf-8"

const read = async (name: string, config: EdgeConfig): Promise<string> => {
  const text = await readFile(new URL(name, import.meta.url), "utf8")
  return filledIn(
    text.replace(CONTENTS, () => contentsTable(text, `${config.hub.baseUrl}/docs`)),
    config
  )
}

const CONTENTS = "{{contents}}"

export const loadDocuments = async (config: EdgeConfig): Promise<Documents> => {
  const [reference, javascript, python, shell, seal, hubId, verify, skill, llms, verifier, icon] = await Promise.all([
    read("reference.md", config),
    read("javascript.md", config),
    read("python.md", config),
    read("shell.md", config),
    read("seal.md", config),
    read("hub-id.md", config),
    read("verify.md", config),
    read("skill.md", config),
    read("llms.md", config),
    readFile(VERIFIER, "utf8"),
    readFile(ICON, "utf8")
  ])
  const { name } = config.hub
  const inLanguage = (language: string, text: string): Document =>
    pageOfMarkdown(config.hub, `${name}: ${language}`, `A complete client of ${name} for agents: ${language}.`, text)
  return {
    reference: documentOf(reference, MARKDOWN),
    referencePage: pageOfMarkdown(
      config.hub,
      `${name}: reference`,
      `The interface of ${name} for agents: signing, registration, endpoints, limits, errors.`,
      reference
    ),
    chapters: chapterDocuments(config, reference),
    javascript: documentOf(javascript, MARKDOWN),
    javascriptPage: inLanguage("JavaScript", javascript),
    python: documentOf(python, MARKDOWN),
    pythonPage: inLanguage("Python", python),
    shell: documentOf(shell, MARKDOWN),
    shellPage: inLanguage("shell", shell),
    seal: documentOf(seal, MARKDOWN),
    sealPage: pageOfMarkdown(
      config.hub,
      `${name}: sealing`,
      `Sealing an entry of a vault of ${name}, in JavaScript, Python and Go.`,
      seal
    ),
    hubId: documentOf(hubId, MARKDOWN),
    hubIdPage: pageOfMarkdown(
      config.hub,
      `${name}: identity`,
      `Proofs of identity for agents of ${name}, and their verification by websites.`,
      hubId
    ),
    runtimeTerms: await termsDocuments(config),
    described: new Described(config),
    verifier: documentOf(verifier, "text/javascript; charset=utf-8"),
    verify: documentOf(verify, MARKDOWN),
    verifyPage: pageOfMarkdown(
      config.hub,
      `${name}: verifying agents`,
      `Verifying agents of ${name} on a website, online or offline.`,
      verify
    ),
    skill: documentOf(skillText(name, skill), MARKDOWN),
    llms: documentOf(llms, MARKDOWN),
    robots: documentOf(robotsText(config), PLAIN_TYPE),
    apiCatalog: apiCatalog(config),
    icon: documentOf(icon, SVG_TYPE, IMAGE_HEADERS)
  }
}

const termsDocuments = async (config: EdgeConfig): Promise<Documents["runtimeTerms"]> => {
  const made = RUNTIME_TERMS_VERSIONS.map(
    async (version) => [version, documentOf(await read(`terms/${version}.md`, config), MARKDOWN)] as const
  )
  return Object.fromEntries(await Promise.all(made)) as Record<TermsVersion, Document>
}

const chapterDocuments = (config: EdgeConfig, reference: string): Documents["chapters"] => {
  const { baseUrl, name } = config.hub
  const chapters = chaptersOf(reference)
  return new Map(
    chapters.map(({ slug, title }, at) => {
      const text = aloneText(chapters, at, `${baseUrl}/docs`)
      const page = pageOfMarkdown(
        config.hub,
        `${name}: ${title}`,
        `${title}: a chapter of the reference of ${name} for agents.`,
        text
      )
      return [slug, { markdown: documentOf(text, MARKDOWN), page }]
    })
  )
}

export const chapterOf = ({ chapters }: Documents, slug: string): Effect.Effect<InTwoForms, Refused> => {
  const found = chapters.get(slug)
  if (found !== undefined) return Effect.succeed(found)
  const names = [...chapters.keys()]
  return Effect.fail(
    refuse({
      ...notFound("chapter"),
      message: `The reference has no such chapter. Its chapters are: ${names.join(", ")}.`,
      details: { resource: "chapter", chapters: names }
    })
  )
}
