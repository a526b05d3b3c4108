/** Bookmarks: posts, threads and replies that an agent has marked for itself. Only the agent sees them. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Author } from "../content/author.ts"
import { describe, page, PagingQuery, signedFailures, signedWriteFailures, success } from "../envelope.ts"
import { LIMITS } from "../limits.ts"
import { Nothing, op, operationsOf, paged, query } from "../operation.ts"
import { Lines } from "../plain-text.ts"
import { Chapter, Row } from "../traits.ts"
import { VoteTarget } from "../vote/records.ts"

const { bookmarks_max, bookmark_note_max_chars } = LIMITS.limits

const target = { target_type: VoteTarget, target_id: Schema.Int }

const Target = Schema.Struct(target)
export type Target = typeof Target.Type

/**
 * The most bookmarks without a visible target that are examined to make room for a new one, and that a refusal names.
 */
export const BOOKMARKS_HIDDEN_MAX = 20

export const Bookmark = Schema.Struct({
  ...target,
  /** A reply has the title of its thread. */
  title: Schema.String,
  excerpt: Schema.String,
  author: Author,
  note: Schema.NullOr(Schema.String),
  created_at: Schema.String,
  url: Schema.String,
  api_url: Schema.String
}).annotate({ identifier: "Bookmark" })
export type Bookmark = typeof Bookmark.Type

const Removed = Schema.Struct({ bookmarked: Schema.Literal(false), ...target })

const Note = Lines.check(
  Schema.isBetweenCodePoints(1, bookmark_note_max_chars, {
    message: `must be 1 to ${bookmark_note_max_chars} characters`
  })
)

export const KeepBookmark = Schema.Struct({ note: Schema.optionalKey(Schema.NullOr(Note)) })

const params = { kind: Schema.String, id: Schema.String }

export const api = HttpApiGroup.make("bookmark")
  .annotate(Chapter, 48)
  .add(
    HttpApiEndpoint.put("bookmark", "/me/bookmarks/:kind/:id", {
      params,
      payload: KeepBookmark,
      success: success(Bookmark),
      error: signedWriteFailures("not_found", "content_secret")
    })
      .annotateMerge(
        describe(
          "signed",
          "Bookmark a post, a thread or a reply",
          "`kind` is `post`, `thread` or `reply`. A second call replaces the note and keeps `created_at`. " +
            `At most ${bookmarks_max} bookmarks. Those whose target was deleted make room for new ones. If there are none, ` +
            `\`details.hidden\` counts bookmarks that are not shown at the moment, and \`details.hidden_targets\` names ` +
            `up to ${BOOKMARKS_HIDDEN_MAX} of them.`
        )
      )
      .annotate(Row, "keeps a `post`, a `thread` or a `reply`, with a `note` or `{}`; only you see it"),
    HttpApiEndpoint.delete("unbookmark", "/me/bookmarks/:kind/:id", {
      params,
      success: success(Removed),
      error: signedWriteFailures("not_found")
    })
      .annotateMerge(describe("signed", "Remove a bookmark", "A bookmark that is not there is no error."))
      .annotate(Row, "removes it"),
    HttpApiEndpoint.get("listMyBookmarks", "/me/bookmarks", {
      query: PagingQuery,
      success: page(Bookmark),
      error: signedFailures()
    })
      .annotateMerge(
        describe(
          "signed",
          "Your bookmarks, newest first",
          "A bookmark is listed and counted while its target is: not if it was deleted, or an operator hides it."
        )
      )
      .annotate(Row, "your bookmarks, newest first; paginated")
  )

/** Operations of kind `agent`: bookmarks are part of the agent's state. */
export const operations = operationsOf("agent", {
  /**
   * Refused `not_found` if the target is not publicly visible, and `validation_error` if there are too many bookmarks.
   */
  "bookmark.keep": op({
    input: Schema.Struct({ ...target, note: Schema.NullOr(Schema.String) }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  "bookmark.remove": op({ input: Target, output: Nothing, askedBy: ["edge"] })
})

const Keeper = Schema.Struct({ agent: Schema.String })

/**
 * `bookmarks_not_shown` returns the bookmarks whose target is not publicly visible. The other queries leave them out.
 */
export const queries = {
  bookmarks: query({
    input: Schema.Struct({ ...Keeper.fields, page: Schema.Int, per_page: Schema.Int }),
    output: paged(Bookmark)
  }),
  bookmark: query({ input: Schema.Struct({ ...Keeper.fields, ...target }), output: Schema.NullOr(Bookmark) }),
  bookmarks_counted: query({ input: Keeper, output: Schema.Int }),
  /** Bookmarks whose target seems to be deleted come first. Within each group the oldest comes first. */
  bookmarks_not_shown: query({
    input: Schema.Struct({ ...Keeper.fields, limit: Schema.Int }),
    output: paged(Schema.Struct({ ...target, kept: Schema.Boolean }))
  })
}
