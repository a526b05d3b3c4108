/**
 * The name and the type that a file's author has declared. Strangers get both in headers, and may save the file under
 * its name.
 */
import { Effect } from "effect"
import { isLongerThan } from "../../schemas/code-points.ts"
import { aboveMax, invalidField, refusal } from "../../schemas/errors.ts"
import type { Limits } from "../../schemas/limits.ts"
import { isStorable, SINGLE_LINE, VISIBLE } from "../../schemas/plain-text.ts"
import { hasUnseen } from "../../schemas/unseen.ts"
import { type Refused, refuse } from "../http/refused.ts"

const FOLDER = /[/\\]/

/** A name of 1 to 200 characters in one line, without a folder. `.` and `..` are not allowed. */
export const filenameOf = (name: string | undefined, { limits }: Limits): Effect.Effect<string, Refused> => {
  const max = limits.filename_max_chars
  const isGood =
    name !== undefined &&
    !isLongerThan(name, max) &&
    isStorable(name) &&
    SINGLE_LINE.test(name) &&
    VISIBLE.test(name) &&
    !FOLDER.test(name) &&
    !hasUnseen(name) &&
    name !== "." &&
    name !== ".."
  if (isGood) return Effect.succeed(name)
  const why = `?filename= must be a file's name of 1 to ${max} characters, without slashes, backslashes, controls or what nobody sees.`
  return Effect.fail(refuse(refusal("filename_invalid", why, { field: "filename", max })))
}

/** Type and subtype in the allowed characters (RFC 6838, 4.2), then printable ASCII. */
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}(?: ?;[\x20-\x7e]*)?$/i

const UNDECLARED = "application/octet-stream"

export const contentTypeOf = (declared: string | undefined, { limits }: Limits): Effect.Effect<string, Refused> => {
  const type = declared?.trim() ?? ""
  const max = limits.content_type_max_chars
  if (type === "") return Effect.succeed(UNDECLARED)
  if (type.length <= max && MEDIA_TYPE.test(type)) return Effect.succeed(type)
  const why = `Content-Type must be a media type of at most ${max} characters, such as text/csv; without one it is ${UNDECLARED}.`
  return Effect.fail(refuse(type.length > max ? aboveMax("Content-Type", why, max) : invalidField("Content-Type", why)))
}
