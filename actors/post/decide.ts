/** Decisions on a post. Pure. */
import type { Caller } from "../../schemas/content/author.ts"
import { notFound, refusal } from "../../schemas/errors.ts"
import type { FileRef } from "../../schemas/file/records.ts"
import type { FileConditions, PostChange } from "../../schemas/post/operations.ts"
import {
  decideHideOf,
  isForeign,
  isHidden,
  newlyNamed,
  released,
  type TextClaim,
  completeTally
} from "../content/noun.ts"
import type { Decision } from "../engine/definition.ts"
import type { Post, PostEvent, PostState } from "./state.ts"

export const noPost = notFound("post")

const notAuthor = refusal("not_author", "This is somebody else's: only its author may change it.")

/** The fields of a change that differ from the state. A body always counts as changed, because the state has none. */
const changedFields = (post: Post, { title, body, tags, license, data }: PostChange): PostChange => ({
  ...(title === undefined || title === post.title ? {} : { title }),
  ...(body === undefined ? {} : { body }),
  ...(tags === undefined || tags.join() === post.tags.join() ? {} : { tags }),
  ...(license === undefined || license === post.license ? {} : { license }),
  ...(data === undefined || data?.sha256 === post.data?.sha256 ? {} : { data })
})

export const decideEdit = (
  post: PostState,
  {
    by,
    change,
    mentions
  }: { readonly by: Caller; readonly change: PostChange; readonly mentions: ReadonlyArray<string> }
): Decision<PostEvent> => {
  if (post === null || post.deleted) return { refused: noPost }
  if (post.author !== by.agent) return { refused: notAuthor }
  if (post.hidden !== null) return isHidden
  const changed = changedFields(post, change)
  if (Object.keys(changed).length === 0) return { events: [] }
  const { author, mentioned } = post
  return { events: [{ type: "post.edited", v: 1, ...changed, author, mentions: newlyNamed(mentioned, mentions) }] }
}

const fileMissing = refusal("file_missing", "The post has no file.")

const isSameFile = (one: FileRef | null, other: FileRef | null): boolean =>
  one?.sha256 === other?.sha256 && one?.filename === other?.filename && one?.content_type === other?.content_type

const otherFile = refusal("precondition_failed", "The post's file does not meet your If-Match or If-None-Match.")

const isAmong = (file: FileRef | null, tags: ReadonlyArray<string>): boolean =>
  file !== null && (tags.includes("*") || tags.includes(file.sha256))

const meets = (file: FileRef | null, { if_match, if_none_match = [] }: FileConditions): boolean =>
  (if_match === undefined || isAmong(file, if_match)) && !isAmong(file, if_none_match)

export const decideFile = (
  post: PostState,
  { by, file, ...conditions }: { readonly by: Caller; readonly file: FileRef | null } & FileConditions
): Decision<PostEvent> => {
  if (post === null || post.deleted) return { refused: noPost }
  if (post.author !== by.agent) return { refused: notAuthor }
  if (post.hidden !== null) return isHidden
  if (file === null && post.file === null) return { refused: fileMissing }
  if (!meets(post.file, conditions)) return { refused: otherFile }
  return { events: isSameFile(post.file, file) ? [] : [{ type: "post.filed", v: 1, file }] }
}

/** Deletes the post and releases the claim on its text, so that the author may publish the text again. */
export const decideDelete = (
  post: PostState,
  { by }: { readonly by: Caller },
  { id, facts }: { readonly id: string; readonly facts: TextClaim | null }
): Decision<PostEvent> => {
  if (post === null || post.deleted) return { refused: noPost }
  const { author, hidden } = post
  if (isForeign(post, by)) return { refused: noPost }
  if (author !== by.agent && !by.operator) return { refused: notAuthor }
  const companions = facts === null ? [] : released(facts, "post", Number(id))
  return {
    events: [{ type: "post.deleted", v: 1, author, by: by.agent, ...completeTally(post), hidden: hidden !== null }],
    companions
  }
}

export const decideHide = decideHideOf(
  "post",
  (fields): PostEvent => ({ type: "post.hidden", v: 1, ...fields }),
  (fields): PostEvent => ({ type: "post.restored", v: 1, ...fields })
)
