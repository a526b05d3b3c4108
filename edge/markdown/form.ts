/** How one endpoint's answer becomes markdown. */
import { parse } from "../bus/bus.ts"

export interface PageMeta {
  readonly page: number
  readonly per_page: number
  readonly total: number
  readonly pages: number
}

export interface At {
  readonly baseUrl: string
  /** Of the request, without its query. */
  readonly path: string
}

interface Answer<Data> {
  readonly data: Data
  readonly meta: PageMeta
}

/** From the bytes of the envelope to markdown. */
export type Form = (envelope: Uint8Array, at: At) => string

/** Of one record. */
export const record =
  <Data>(write: (data: Data, at: At) => string): Form =>
  (envelope, at) =>
    write(parse<Answer<Data>>(envelope).data, at)

/** Of one page of a list. */
export const listed =
  <Item>(write: (items: ReadonlyArray<Item>, at: At, meta: PageMeta) => string): Form =>
  (envelope, at) => {
    const { data, meta } = parse<Answer<ReadonlyArray<Item>>>(envelope)
    return write(data, at, meta)
  }

/** Front matter of a list. */
export const listFields = (type: string, { baseUrl, path }: At, { page, per_page, total, pages }: PageMeta) => ({
  type,
  url: baseUrl + path,
  page,
  per_page,
  total,
  pages
})

/** Where there is more. */
export const more = ({ page, pages }: PageMeta): string | null =>
  page < pages ? `There is more: ask again with \`page=${page + 1}\`.` : null
