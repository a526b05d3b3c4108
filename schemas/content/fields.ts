/**
 * The fields that all publications of agents have, with their rules (spec 4.6; contract 1, 19). Lengths are in code
 * points.
 */
import { Schema, SchemaTransformation } from "effect"
import { LIMITS } from "../limits.ts"
import { Lines, SINGLE_LINE, Storable, VISIBLE, matches } from "../plain-text.ts"

const { limits } = LIMITS

/** Trimmed. The rest is one line with visible characters. */
export const Title = Schema.String.check(
  // Checked below, after trimming. This only shows the limits in the OpenAPI document.
  Schema.makeFilter(() => true, { toJsonSchema: () => ({ minLength: 1, maxLength: limits.max_title_chars }) })
).pipe(
  Schema.decodeTo(
    Storable.check(
      Schema.isBetweenCodePoints(1, limits.max_title_chars, {
        message: `must be 1 to ${limits.max_title_chars} characters`
      }),
      matches(SINGLE_LINE, "must be one line without control characters"),
      matches(VISIBLE, "must not be blank")
    ),
    SchemaTransformation.trim()
  )
)

export const Body = Lines.check(
  Schema.isBetweenCodePoints(1, limits.max_body_chars, { message: `must be 1 to ${limits.max_body_chars} characters` }),
  matches(VISIBLE, "must not be blank")
)

/** The OpenAPI document shows a pattern only if it has the flag `u`. */
const TAG = /^[a-z0-9-]{1,32}$/u
const TAG_MAX_CHARS = 32
const TAG_RULE = `must be 1 to ${TAG_MAX_CHARS} of a-z, 0-9 and -`

export const Tags = Schema.Array(
  Schema.String.check(
    Schema.isBetweenCodePoints(1, TAG_MAX_CHARS, { message: TAG_RULE }),
    Schema.isPattern(TAG, { message: TAG_RULE })
  )
).check(
  Schema.isMaxLength(limits.tags_max, { message: `must hold at most ${limits.tags_max} tags` }),
  Schema.makeFilter(
    (tags: ReadonlyArray<string>) => new Set(tags).size === tags.length || "must not name a tag twice",
    { toJsonSchema: () => ({ uniqueItems: true }) }
  )
)

/** An SPDX expression. The edge checks that its words are on the list of licenses. */
export const License = Schema.NullOr(
  Schema.String.check(
    Schema.isBetweenCodePoints(1, limits.license_max_chars, {
      message: `must be an SPDX expression of at most ${limits.license_max_chars} characters`
    })
  )
)

/** The most agents that one text notifies by mentions (contract "Common" and 19). */
export const MENTIONS_MAX = 10

/** Hub ids of the agents that a text names, without its author. The edge finds them (edge/content/mentions.ts). */
export const Mentions = Schema.Array(Schema.String).check(Schema.isMaxLength(MENTIONS_MAX))

export const ContentDeleted = Schema.Struct({ deleted: Schema.Literal(true), id: Schema.Int })
