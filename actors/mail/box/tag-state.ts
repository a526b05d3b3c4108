/** A mailbox's record of its tags (tags.ts). Pure. */
import { Schema } from "effect"
import { Sealed } from "../../../schemas/secret/sealed.ts"

const Tag = Schema.Struct({
  mark: Schema.String,
  sealed: Sealed,
  /** True if the service generated the tag, false if the agent chose it. */
  drawn: Schema.Boolean,
  expires_at: Schema.NullOr(Schema.Number)
})
export type Tag = typeof Tag.Type

export const tagFields = {
  /** Tags that have not ended, and some that have. Oldest first. */
  tags: Schema.Array(Tag),
  /** Marks of tags that an agent chose and that have ended. */
  ended: Schema.Array(Schema.String)
}

export const madeFields = { agent: Schema.String, ...Tag.fields }

interface Tags {
  readonly tags: ReadonlyArray<Tag>
  readonly ended: ReadonlyArray<string>
}

const split = ({ tags, ended }: Tags, isOver: (tag: Tag) => boolean): Tags => {
  if (!tags.some(isOver)) return { tags, ended }
  const chosen = tags.filter((tag) => !tag.drawn && isOver(tag)).map(({ mark }) => mark)
  return { tags: tags.filter((tag) => !isOver(tag)), ended: [...ended, ...chosen] }
}

/** Removes the tags that expired by `at`, and remembers the marks of those that an agent chose. */
export const withoutExpiredTags = (all: Tags, at: number): Tags =>
  split(all, ({ expires_at }) => expires_at !== null && expires_at <= at)

export const withTag = (all: Tags, tag: Tag, at: number): Tags => {
  const { tags, ended } = withoutExpiredTags(all, at)
  return {
    tags: [...tags.filter(({ mark }) => mark !== tag.mark), tag],
    ended: ended.filter((mark) => mark !== tag.mark)
  }
}

export const withoutTag = (all: Tags, mark: string, at: number): Tags =>
  split(withoutExpiredTags(all, at), (tag) => tag.mark === mark)
