/** Conversion of an endpoint's answer to markdown. */
import { parse } from "../bus/bus.ts"
import { blocks, fields, frontMatter } from "./write.ts"

export interface PageMeta {
  readonly page: number
  readonly per_page: number
  readonly total: number
  readonly pages: number
}

export interface At {
  readonly baseUrl: string
  /** The request's path, without its query. */
  readonly path: string
}

interface Answer<Data> {
  readonly data: Data
  readonly meta: PageMeta
}

/** Converts the bytes of an envelope to markdown. */
export type Form = (envelope: Uint8Array, at: At) => string

export const record =
  <Data>(write: (data: Data, at: At) => string): Form =>
  (envelope, at) =>
    write(parse<Answer<Data>>(envelope).data, at)

export const listed =
  <Item>(write: (items: ReadonlyArray<Item>, at: At, meta: PageMeta) => string): Form =>
  (envelope, at) => {
    const { data, meta } = parse<Answer<ReadonlyArray<Item>>>(envelope)
    return write(data, at, meta)
  }

export const listFields = (type: string, { baseUrl, path }: At, { page, per_page, total, pages }: PageMeta) => ({
  type,
  url: baseUrl + path,
  page,
  per_page,
  total,
  pages
})

/** A hint to the next page. `null` on the last one. */
export const more = ({ page, pages }: PageMeta): string | null =>
  page < pages ? `There is more: ask again with \`page=${page + 1}\`.` : null

/** Makes the form of a record of the service. It writes each field with its path. */
export const stateOf = <Data extends object>(type: string, heading: string): Form =>
  record<Data>((state, { baseUrl, path }) =>
    blocks(frontMatter({ type, url: baseUrl + path }), `# ${heading}`, fields(state))
  )

/** Keyed by the id of an endpoint of the API. */
export type Forms = Readonly<Record<string, Form>>

export type Params = Readonly<Record<string, string>>

export interface PageForm {
  /** The endpoint of the API whose answer has the page's content. */
  readonly of: string
  /** The endpoint's path parameters, if the page's are different. */
  readonly params?: (params: Params) => Params
  /** Query parameters that are derived from the page's path. The page's own query is passed on too. */
  readonly query?: (params: Params) => Params
}

/** Keyed by the id of a page. */
export type PageForms = Readonly<Record<string, PageForm>>

/** `/threads/12-a-slug` is about thread 12. */
export const numbered = ({ id = "", ...others }: Params): Params => ({
  ...others,
  id: /^(\d{1,16})-/.exec(id)?.[1] ?? id
})
