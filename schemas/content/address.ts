/** Canonical addresses of pages, which do not redirect (contract 19, 22). */
import { numberedSlug } from "./slug.ts"

interface Titled {
  readonly id: number
  readonly title: string
}

export const postAddress = (baseUrl: string, { id, title }: Titled): string =>
  `${baseUrl}/posts/${numberedSlug(id, title)}`

export const threadAddress = (baseUrl: string, { id, title }: Titled): string =>
  `${baseUrl}/threads/${numberedSlug(id, title)}`

export const replyAddress = (baseUrl: string, thread: Titled, reply: number): string =>
  `${threadAddress(baseUrl, thread)}#reply-${reply}`
