/**
 * Accounts of people. Kind `human` has the id `hum_…`. Kind `address` has the keyed hash of an e-mail address as id.
 * Kind `credential` finds an account by an address, and may have any id.
 *
 * Actors never get passwords: the edge hashes them (edge/human/) and sends the hashes.
 */
import { Schema } from "effect"
import { Nothing, op, operationsOf } from "../operation.ts"
import { Deleted } from "../agent/records.ts"
import { Sealed } from "../secret/sealed.ts"
import { HumanPasskey, MadePasskey, PasskeyChallenge, SignedByPasskey } from "./passkey.ts"
import { PasswordParameters } from "./password.ts"
import { HumanAccount, HumanPublic, HumanRole, HumanSession } from "./records.ts"

/** The salt and parameters with which a password must be hashed. */
export const Salted = Schema.Struct({ salt: Schema.String, parameters: PasswordParameters })
/** The salt and parameters, and the resulting hash, in base64. */
export const HashedPassword = Schema.Struct({ ...Salted.fields, hash: Schema.String })
export type HashedPassword = typeof HashedPassword.Type

/** sha256 of a token, in hex. */
const TokenHash = Schema.String

const EnterByPasskey = Schema.Struct({
  sealed: Schema.String,
  /** The value that binds the challenge to the browser, as in `credential.challenge`. */
  bound: Schema.String,
  signed: SignedByPasskey,
  token: TokenHash,
  browser: Schema.optionalKey(Schema.String)
})

export const humanOperations = operationsOf("human", {
  "human.register": op({
    input: Schema.Struct({ name: Schema.String, email: Schema.String, password: HashedPassword }),
    output: Schema.Struct({ created_at: Schema.String }),
    askedBy: ["edge"]
  }),
  "human.account": op({ input: Nothing, output: HumanAccount, askedBy: ["edge"] }),
  "human.shown": op({ input: Nothing, output: HumanPublic, askedBy: ["edge"] }),
  /** The salt and the parameters for hashing a password of this account. */
  "human.salt": op({ input: Nothing, output: Salted, askedBy: [] }),
  /**
   * The salt and the parameters, for a person with a session who enters the password again. It counts as a failed try,
   * unless the right password follows.
   */
  "human.try_password": op({ input: Nothing, output: Salted, askedBy: ["edge"] }),
  /**
   * `password` is the hash of the entered password. `browser` is the browser's name, for the person's list of sessions.
   * `form` is the id of the login form: if the same form is sent again, the new session replaces the earlier one.
   */
  "human.open_session": op({
    input: Schema.Struct({
      password: Schema.String,
      token: TokenHash,
      code: Schema.NullOr(Schema.String),
      browser: Schema.optionalKey(Schema.String),
      form: Schema.optionalKey(Schema.String)
    }),
    output: Schema.Struct({ expires_at: Schema.String }),
    askedBy: ["edge"]
  }),
  /** Grants or withdraws a role. Only an account with a confirmed address can get a role. */
  "human.role": op({
    input: Schema.Struct({ role: HumanRole, granted: Schema.Boolean, reason: Schema.String }),
    output: Schema.Struct({ roles: Schema.Array(HumanRole) }),
    askedBy: []
  }),
  /** Like `human.open_session` for the operators' console: it needs the role `operator` and a second step. */
  "human.open_console": op({
    input: Schema.Struct({
      password: Schema.String,
      token: TokenHash,
      code: Schema.NullOr(Schema.String),
      browser: Schema.optionalKey(Schema.String),
      form: Schema.optionalKey(Schema.String)
    }),
    output: Schema.Struct({ expires_at: Schema.String }),
    askedBy: []
  }),
  /** Refused `session_invalid` if the session is not one of the console, or the role was taken away. */
  "human.console_session": op({
    input: Schema.Struct({ token: TokenHash }),
    output: Schema.Struct({ session: Schema.Int }),
    askedBy: []
  }),
  "human.close_console": op({ input: Schema.Struct({ token: TokenHash }), output: Nothing, askedBy: [] }),
  /** Stores another hash of the same password. */
  "human.renew_password": op({
    input: Schema.Struct({ password: Schema.String, renewed: HashedPassword }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  /** Refused `session_invalid`, even if the account does not exist. */
  "human.session": op({
    input: Schema.Struct({ token: TokenHash }),
    output: Schema.Struct({ session: Schema.Int, email_verified: Schema.Boolean }),
    askedBy: ["edge"]
  }),
  "human.close_session": op({
    input: Schema.Struct({ token: TokenHash }),
    output: Schema.Struct({ revoked: Schema.Literal(true) }),
    askedBy: ["edge"]
  }),
  /**
   * Valid sessions, newest first. `token` is the token's hash of the session that asks, which is marked as `current`.
   */
  "human.sessions": op({
    input: Schema.Struct({ token: TokenHash }),
    output: Schema.Struct({ sessions: Schema.Array(HumanSession) }),
    askedBy: ["edge"]
  }),
  /**
   * Ends one session; with `null` all except that of `token`, which must be valid. It is no error if the session has
   * ended already.
   */
  "human.end_sessions": op({
    input: Schema.Struct({ token: TokenHash, session: Schema.NullOr(Schema.Int) }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  "human.send_verification": op({
    input: Nothing,
    output: Schema.Struct({ sent: Schema.Literal(true) }),
    askedBy: ["edge"]
  }),
  "human.confirm_address": op({
    input: Schema.Struct({ token: TokenHash }),
    output: Schema.Struct({ email_verified: Schema.Literal(true) }),
    askedBy: ["edge"]
  }),
  "human.forgot": op({ input: Nothing, output: Nothing, askedBy: [] }),
  /** Checks that a reset link is still valid, before the person chooses a new password. */
  "human.reset_link": op({
    input: Schema.Struct({ token: TokenHash }),
    output: Schema.Struct({ email: Schema.String, name: Schema.String }),
    askedBy: ["edge"]
  }),
  "human.reset_password": op({
    input: Schema.Struct({ token: TokenHash, password: HashedPassword }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  "human.change_password": op({
    input: Schema.Struct({ password: Schema.String, changed: HashedPassword }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  /**
   * The state of the second step of logins. `offered` is a new secret that the person has not yet confirmed by a code.
   */
  "human.two_step": op({
    input: Nothing,
    output: Schema.Struct({
      enabled: Schema.Boolean,
      codes_left: Schema.Int,
      offered: Schema.NullOr(Schema.Struct({ secret: Schema.String, uri: Schema.String }))
    }),
    askedBy: ["edge"]
  }),
  "human.offer_two_step": op({ input: Schema.Struct({ password: Schema.String }), output: Nothing, askedBy: ["edge"] }),
  /** Returns new recovery codes, which are shown only once. */
  "human.enable_two_step": op({
    input: Schema.Struct({ code: Schema.String }),
    output: Schema.Struct({ codes: Schema.Array(Schema.String) }),
    askedBy: ["edge"]
  }),
  "human.disable_two_step": op({
    input: Schema.Struct({ password: Schema.String }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  "human.renew_recovery_codes": op({
    input: Schema.Struct({ password: Schema.String }),
    output: Schema.Struct({ codes: Schema.Array(Schema.String) }),
    askedBy: ["edge"]
  }),
  "human.passkeys": op({
    input: Nothing,
    output: Schema.Struct({ passkeys: Schema.Array(HumanPasskey) }),
    askedBy: ["edge"]
  }),
  /** `token` belongs to the session that requests it. The passkey can be added only in this session. */
  "human.offer_passkey": op({
    input: Schema.Struct({ password: Schema.String, token: TokenHash, name: Schema.String }),
    output: PasskeyChallenge,
    askedBy: ["edge"]
  }),
  "human.add_passkey": op({
    input: Schema.Struct({ token: TokenHash, sealed: Schema.String, made: MadePasskey }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  /** It is no error if the passkey was removed already. */
  "human.remove_passkey": op({
    input: Schema.Struct({ password: Schema.String, passkey: Schema.Int }),
    output: Nothing,
    askedBy: ["edge"]
  }),
  "human.enter_by_passkey": op({
    input: EnterByPasskey,
    output: Schema.Struct({ expires_at: Schema.String }),
    askedBy: ["edge"]
  }),
  /**
   * Like `human.enter_by_passkey`, for the operators' console. It needs the role `operator`, and an address where
   * passkeys work.
   */
  "human.open_console_by_passkey": op({
    input: EnterByPasskey,
    output: Schema.Struct({ expires_at: Schema.String }),
    askedBy: []
  }),
  /**
   * Counts bytes that the person is about to write into another actor's log among the bytes of the day. Refused
   * `rate_limited`.
   */
  "human.spend_bytes": op({ input: Schema.Struct({ bytes: Schema.Int }), output: Nothing, askedBy: [] }),
  "human.rename": op({ input: Schema.Struct({ name: Schema.String }), output: Nothing, askedBy: ["edge"] }),
  "human.delete": op({
    input: Schema.Struct({ password: Schema.String, confirm: Schema.String }),
    output: Deleted,
    askedBy: ["edge"]
  }),
  /** Erases the key of a deleted account's data. */
  "human.erase": op({ input: Nothing, output: Nothing, askedBy: [] })
})

/**
 * Limits that carry over from former accounts of an address, so that deleting an account and signing up again does not
 * reset them. The times are those of letters with links, in Unix ms. `made` has agents that were made for the person.
 * It is empty in newer commits, which have them sealed in `left`.
 */
export const FormerAccount = Schema.Struct({
  made: Schema.Array(Schema.String),
  verify_address: Schema.Array(Schema.Number),
  reset_password: Schema.Array(Schema.Number)
})
export type FormerAccount = typeof FormerAccount.Type

/** An address has at most one account. */
export const addressOperations = operationsOf("address", {
  /** `seq` is the sequence of the claim in the log, for a write in the same commit. */
  "address.look": op({
    input: Nothing,
    output: Schema.Struct({
      human: Schema.NullOr(Schema.String),
      seq: Schema.Int,
      former: Schema.optionalKey(FormerAccount),
      /** Sealed data of former accounts, which names agents. */
      left: Schema.optionalKey(Sealed)
    }),
    askedBy: []
  })
})

export const credentialOperations = operationsOf("credential", {
  /**
   * Finds the account of an address and its hashing parameters. For an unknown address the answer looks the same, with
   * an account that does not exist. It counts as a try for that address until a session is opened.
   */
  "credential.find": op({
    /** `console` is true for logins at the operators' console, whose tries are counted separately. */
    input: Schema.Struct({ email: Schema.String, console: Schema.optionalKey(Schema.Literal(true)) }),
    output: Schema.Struct({ human: Schema.String, ...Salted.fields }),
    askedBy: ["edge"]
  }),
  /** A challenge for a login with a passkey of any account. `bound` is a value that only this browser can repeat. */
  "credential.challenge": op({
    input: Schema.Struct({ bound: Schema.String }),
    output: PasskeyChallenge,
    askedBy: ["edge"]
  }),
  /** Finds the account of an address. Only for operators; it does not count as a try. */
  "credential.whose": op({
    input: Schema.Struct({ email: Schema.String }),
    output: Schema.Struct({ human: Schema.NullOr(Schema.String) }),
    askedBy: []
  }),
  /** Sends a letter if an account has the address. The answer is the same in any case. */
  "credential.forgot": op({ input: Schema.Struct({ email: Schema.String }), output: Nothing, askedBy: ["edge"] })
})
