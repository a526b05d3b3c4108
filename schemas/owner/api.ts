/** Endpoints for messages between an agent and its owners (spec 4.10; contract 10, 20). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import {
  created,
  describe,
  PageMeta,
  PagingQuery,
  signedFailures,
  signedWriteFailures,
  SinceId,
  WaitSeconds,
  WAITED
} from "../envelope.ts"
import { Lines, VISIBLE, matches } from "../plain-text.ts"
import { Chapter, Row, Traits } from "../traits.ts"
import { OWNER_MESSAGE_LIMITS } from "./limits.ts"
import { OwnerMessage, OwnerMessageKind, OwnerReached } from "./records.ts"

const { text_max_chars, options_min, options_max, option_max_chars } = OWNER_MESSAGE_LIMITS

/** Lengths in code points. */
export const OwnerText = Lines.check(
  Schema.isBetweenCodePoints(1, text_max_chars, { message: `must be 1 to ${text_max_chars} characters` }),
  matches(VISIBLE, "must not be blank")
)

const Option = Lines.check(
  Schema.isBetweenCodePoints(1, option_max_chars, { message: `must be 1 to ${option_max_chars} characters` }),
  matches(VISIBLE, "must not be blank")
)

const AMOUNT = `must be ${options_min} to ${options_max} answers`

const Options = Schema.Array(Option).check(
  Schema.isMinLength(options_min, { message: AMOUNT }),
  Schema.isMaxLength(options_max, { message: AMOUNT }),
  Schema.isUnique({ message: "must be different answers" })
)

export const WriteToOwners = Schema.Struct({
  text: OwnerText,
  kind: OwnerMessageKind,
  options: Schema.optionalKey(Schema.NullOr(Options)),
  /** Seconds. A value outside the range becomes the nearest one within it. */
  wait_seconds: Schema.optionalKey(Schema.Finite)
})

export const OwnerApi = HttpApiGroup.make("owner")
  .annotate(Chapter, 62)
  .add(
    HttpApiEndpoint.post("writeToOwners", "/me/owner/message", {
      payload: WriteToOwners,
      success: created(OwnerMessage),
      error: signedWriteFailures("owner_none", "owner_message_secret")
    })
      .annotateMerge(
        describe(
          "signed",
          "Write to your owners",
          "Each confirmed owner finds it on your page in the owner's space. With `wait_seconds` the request is held " +
            "for the first answer, which comes as `answer`; ask again by `GET /me/owner/messages?wait_seconds=`. " +
            "`options` become buttons."
        )
      )
      .annotate(
        Row,
        "`text` (1 to {{limits.owner.text_max_chars}} characters), `kind` `question`, `alert`, `request`, `need`; " +
          "`options` (2 to 6), `wait_seconds`: held {{limits.owner.held_seconds}} s for `answer`"
      )
      .annotate(Traits, { draw: ["message"], held: true }),
    HttpApiEndpoint.get("listOwnerMessages", "/me/owner/messages", {
      query: {
        ...PagingQuery,
        since_id: SinceId,
        wait_seconds: WaitSeconds
      },
      success: Schema.Struct({
        ok: Schema.Literal(true),
        data: Schema.Array(OwnerMessage),
        meta: Schema.Struct({ ...PageMeta.fields, owners: Schema.Array(OwnerReached), waited: WAITED })
      }),
      error: signedFailures("validation_error")
    })
      .annotateMerge(
        describe(
          "signed",
          "Messages between you and your owners, newest first",
          "Listed messages of owners are marked as read. `wait_seconds` holds an empty list until something comes."
        )
      )
      .annotate(
        Row,
        "both ways, newest first; `?since_id=`, `?wait_seconds=`; `meta.owners`: who they are; marks as read"
      )
  )
