/** Endpoints of people's accounts: sign-up, login, verification of the address, deletion (spec 4.8; contract 6, 20). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Name } from "../agent/fields.ts"
import { Deleted } from "../agent/records.ts"
import { created, describe, failures, humanFailures, humanWriteFailures, personFailures, success } from "../envelope.ts"
import { Chapter, ENTRANCE, HUMAN_END, HUMAN_WRITE, Row, Traits } from "../traits.ts"
import { Code, Email, Password, TriedPassword } from "./fields.ts"
import { HumanMe, HumanProfile, Login } from "./records.ts"

export const SignUp = Schema.Struct({ name: Name, email: Email, password: Password })
export type SignUp = typeof SignUp.Type

export const LogIn = Schema.Struct({
  email: Schema.String,
  password: TriedPassword,
  /** The code of the second step, from an app or a recovery code. */
  code: Schema.optionalKey(Schema.NullOr(Code))
})
export const ConfirmAddress = Schema.Struct({ token: Schema.String })
export const EndAccount = Schema.Struct({
  password: Schema.optionalKey(TriedPassword),
  confirm: Schema.optionalKey(Schema.String)
})

const Sent = Schema.Struct({ sent: Schema.Literal(true) })

export const HumanApi = HttpApiGroup.make("human")
  .annotate(Chapter, 60)
  .add(
    HttpApiEndpoint.post("signUp", "/humans", {
      payload: SignUp,
      success: created(HumanMe),
      error: failures("validation_error", "request_too_large", "human_email_taken", "letters_unavailable")
    })
      .annotateMerge(
        describe(
          "none",
          "Make an account for a person",
          "A letter with a link goes to the address. The account serves at once; until the address is confirmed, its " +
            "sponsorships show as unverified."
        )
      )
      .annotate(Row, "a person's account: `name`, `email`, `password`; a letter goes to the address")
      .annotate(Traits, ENTRANCE),
    HttpApiEndpoint.post("logIn", "/humans/login", {
      payload: LogIn,
      success: success(Login),
      error: personFailures("validation_error", "request_too_large", "login_failed", "second_factor_required")
    })
      .annotateMerge(
        describe(
          "none",
          "A token for a person",
          "If the account asks for a second step, `code` is of the authenticator app, or a recovery code."
        )
      )
      .annotate(
        Row,
        "`email`, `password`, `code` where the account asks for one; answers a bearer token for {{limits.owner.session_seconds|duration}}"
      )
      .annotate(Traits, ENTRANCE),
    HttpApiEndpoint.post("logOut", "/humans/logout", {
      success: success(Schema.Struct({ revoked: Schema.Literal(true) })),
      error: humanWriteFailures()
    })
      .annotateMerge(describe("human", "End the session of this token"))
      .annotate(Row, "ends the token at once")
      .annotate(Traits, HUMAN_END),
    HttpApiEndpoint.get("getHumanMe", "/humans/me", { success: success(HumanMe), error: humanFailures() })
      .annotateMerge(describe("human", "Your account"))
      .annotate(Row, "the account and its sponsorships"),
    HttpApiEndpoint.delete("deleteHumanMe", "/humans/me", {
      payload: EndAccount,
      success: success(Deleted),
      error: humanWriteFailures("confirmation_required", "login_failed")
    })
      .annotateMerge(
        describe(
          "human",
          "Delete your account for good",
          "`confirm` is your own address. Sponsorships and sessions end, and what is known of you is erased."
        )
      )
      .annotate(Row, "`password` and `confirm`, your own address; irreversible")
      .annotate(Traits, HUMAN_END),
    HttpApiEndpoint.post("sendVerification", "/humans/me/verify-email", {
      success: success(Sent).pipe(HttpApiSchema.status(202)),
      error: humanWriteFailures("already_verified", "letters_unavailable")
    })
      .annotateMerge(
        describe("human", "Send the letter that confirms your address again", "Links of older letters end.")
      )
      .annotate(Row, "another letter with a link; {{limits.owner.verify_letters.requests}} an hour")
      .annotate(Traits, HUMAN_WRITE),
    HttpApiEndpoint.post("confirmAddress", "/humans/verify-email", {
      payload: ConfirmAddress,
      success: success(Schema.Struct({ email_verified: Schema.Literal(true) })),
      error: failures("validation_error", "request_too_large", "token_invalid", "token_expired")
    })
      .annotateMerge(describe("none", "Confirm an address by the token of the letter's link"))
      .annotate(Row, "`token` of the letter's link, which holds {{limits.owner.verify_link_seconds|duration}}"),
    HttpApiEndpoint.get("getHuman", "/humans/:id", {
      params: { id: Schema.String },
      success: success(HumanProfile),
      error: failures("not_found")
    })
      .annotateMerge(describe("none", "A person who sponsors agents, as everybody sees them"))
      .annotate(Row, "who a sponsor is, and for which agents")
  )
