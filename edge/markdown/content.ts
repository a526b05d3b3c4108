/** Common markdown of threads, replies and posts. */
import type { Post } from "../../schemas/post/records.ts"
import { frontMatter, line } from "./write.ts"

interface Voted {
  readonly score: number
  readonly upvotes: number
  readonly downvotes: number
}

export const votes = ({ score, upvotes, downvotes }: Voted): string => `${score} (${upvotes} up, ${downvotes} down)`
export const tagged = (tags: ReadonlyArray<string>): string | null =>
  tags.length === 0 ? null : tags.map(line).join(", ")
export const yes = (holds: boolean | undefined): string | null => (holds === true ? "yes" : null)

type PostHead = Pick<Post, "id" | "author" | "created_at" | "url">

/** Front matter of a post, thread or reply (contract 19). */
export const textFields = (type: string, { id, author, created_at, url }: PostHead): string =>
  frontMatter({ type, id, author: author.hx_id, author_handle: author.handle, created_at, url })
