/**
 * Actions of people on their accounts, for the interface and for the pages.
 *
 * Invariants
 *  - A password is hashed here and goes no further. The account gets the hash (password-hash.ts).
 *  - A refused login and a request for a letter do not show if an account has the address: their answer and its time
 *    are the same.
 *  - A form that is sent twice has one effect, because its token is the command (edge/kit/owner/form-token.ts). Each
 *    login is a new attempt, since its session token is new; the later session replaces the earlier one.
 */
import { createHash, randomBytes } from "node:crypto"
import { Clock, Effect } from "effect"
import type { HubConfig } from "../../schemas/config.ts"
import type { LogIn, SignUp } from "../../schemas/human/api.ts"
import { HUMAN_PREFIX, normalEmail } from "../../schemas/human/fields.ts"
import type { HashedPassword } from "../../schemas/human/operations.ts"
import { isWeaker, type PasswordParameters } from "../../schemas/human/password.ts"
import type { HumanAccount } from "../../schemas/human/records.ts"
import { invalidField, type Refusal, refusal } from "../../schemas/errors.ts"
import { monotonicMs } from "../../schemas/runtime/clock.ts"
import type { Call } from "../http/call.ts"
import { drawnOf, drawnOnce } from "../http/limits.ts"
import { type Refused, refuse } from "../http/refused.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { browserName } from "./browser-name.ts"
import type { LinkToken } from "./links.ts"
import { freshSalt } from "./password-hash.ts"
import type { Person } from "./personal-password.ts"
import { passwordProblem } from "./password-policy.ts"
import { tokenHash } from "./token-hash.ts"
import type { PasswordHashing } from "./password-hash.ts"

type Parts = Pick<EdgeParts, "bus" | "limits"> & {
  readonly passwords: PasswordHashing
  readonly config: { readonly hub: Pick<HubConfig, "mail"> }
}

/** `token` is shown only in this answer. */
export interface Entered {
  readonly token: string
  readonly expires_at: string
  readonly human: HumanAccount
}

interface Entering {
  readonly only?: string
  readonly op?: "human.open_session" | "human.open_console"
}

const loginFailed: Refusal = refusal("login_failed", "Address or password is wrong.")
const formUsed: Refusal = refusal("form_token_invalid", "This form has made an account already. Open its page again.")
const noAddress = invalidField("email", "email must be an e-mail address.")
/** Otherwise the holder of an agent's key could read this mail and become the agent's owner. */
const agentsAddress = invalidField(
  "email",
  "email must be an address of yours elsewhere: those of this service are agents'.",
  {
    rule: "agents_address"
  }
)
const isServedHere = ({ config: { hub } }: Pick<Parts, "config">, email: string): boolean =>
  hub.mail !== null && email.slice(email.lastIndexOf("@") + 1) === hub.mail.domain

const NOBODY: Person = { name: "", email: "" }

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567"
const ID_CHARS = 16
const TOKEN_BYTES = 32

/** The least time of an answer. A shorter one would show that no account has the address. */
const FORGOT_FLOOR_MS = 300
/**
 * The least time of a refused login, without the time of the hash. Otherwise the time of the answer would show whether
 * an account has the address: an address without an account is looked up in the log at each try
 * (actors/engine/history.ts).
 */
const LOGIN_FLOOR_MS = 100

/** 80 bits, random or derived from the command. A repeated form therefore means the same account. */
const newHumanId = (command: string | null): string => {
  const bytes = command === null ? randomBytes(ID_CHARS) : createHash("sha256").update(`human ${command}`).digest()
  return HUMAN_PREFIX + [...bytes.subarray(0, ID_CHARS)].map((byte) => BASE32[byte % BASE32.length]).join("")
}

export const newToken = (human: string): string =>
  `hxh_${human.slice(HUMAN_PREFIX.length)}${randomBytes(TOKEN_BYTES).toString("base64url")}`

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64")

const judged = (password: string, person: Person, field = "password"): Effect.Effect<void, Refused> => {
  const problem = passwordProblem(password, person)
  return problem === null
    ? Effect.void
    : Effect.fail(refuse(invalidField(field, problem.message, { rule: problem.rule, ...problem.bounds })))
}

const hashedAnew = (
  { passwords }: Pick<Parts, "passwords">,
  call: Call,
  password: string
): Effect.Effect<HashedPassword, Refused> => {
  const salt = freshSalt()
  return Effect.map(passwords.by(call, passwords.hash(password, salt, passwords.wanted)), (hash) => ({
    salt,
    parameters: passwords.wanted,
    hash: base64(hash)
  }))
}

/** Hashes the current password of a person with a session, with the account's parameters. Counts as a try. */
const ownHash = (
  { bus, passwords }: Pick<Parts, "bus" | "passwords">,
  call: Call,
  human: string,
  password: string
): Effect.Effect<string, Refused> =>
  passwords.by(
    call,
    Effect.gen(function* () {
      const { salt, parameters } = yield* bus.read(call, { actor: human, op: "human.try_password", input: null })
      return base64(yield* passwords.hash(password, salt, parameters))
    })
  )

export class People {
  private readonly parts: Parts

  constructor(parts: Parts) {
    this.parts = parts
  }

  signUp(call: Call, form: SignUp): Effect.Effect<HumanAccount, Refused> {
    const { bus } = this.parts
    return Effect.gen({ self: this }, function* () {
      const email = normalEmail(form.email)
      if (email === null) return yield* refuse(noAddress)
      if (isServedHere(this.parts, email)) return yield* refuse(agentsAddress)
      const { name } = form
      // A refused password draws nothing from the buckets.
      yield* judged(form.password, { email, name })
      yield* this.admitted(call, email)
      const password = yield* hashedAnew(this.parts, call, form.password)
      const id = newHumanId(call.command)
      const input = { name, email, password }
      const { created_at } = yield* bus.read(call, { actor: id, op: "human.register", input })
      return { id, name, created_at, email, email_verified: false }
    })
  }

  /** Draws once for a form, even if it is sent again. It logs in as well, and draws for that each time. */
  private admitted(call: Call, email: string): Effect.Effect<void, Refused> {
    const { bus, limits } = this.parts
    const { command } = call
    if (command === null) return drawnOf(limits, "human_register", call)
    const account = bus.read(call, { actor: newHumanId(command), op: "human.account", input: null })
    const isMade = Effect.catch(
      Effect.map(account, (made) => made.email === email),
      (failed) => (failed.refusal.code === "not_found" ? Effect.succeed(false) : Effect.fail(failed))
    )
    // The same form with other content is another try, so the body's hash is part of the name.
    const once = `${command}.${call.bodySha256}`
    return Effect.andThen(
      drawnOf(limits, "human_login", call),
      Effect.flatMap(isMade, (isAgain) => (isAgain ? Effect.void : drawnOnce(limits, "human_register", call, once)))
    )
  }

  logIn(call: Call, form: typeof LogIn.Type): Effect.Effect<Entered, Refused> {
    return Effect.andThen(drawnOf(this.parts.limits, "human_login", call), this.enter(call, form))
  }

  /** Logs in to the operators' console, which has stricter rules (actors/human/decide-console.ts). */
  logInToConsole(call: Call, form: typeof LogIn.Type): Effect.Effect<Entered, Refused> {
    const entered = this.enter(call, form, { op: "human.open_console" })
    return Effect.andThen(drawnOf(this.parts.limits, "human_login", call), entered)
  }

  /** Signs up and logs in. A form that is sent again logs in to the account that it made, and to no other. */
  signUpAndEnter(call: Call, form: SignUp): Effect.Effect<Entered, Refused> {
    const { email, password } = form
    return Effect.flatMap(this.signUp(call, form), ({ id }) => this.enter(call, { email, password }, { only: id }))
  }

  /** Logs in. `only`: the account that the address must belong to. */
  private enter(
    call: Call,
    form: typeof LogIn.Type,
    { only, op = "human.open_session" }: Entering = {}
  ): Effect.Effect<Entered, Refused> {
    const { bus, passwords } = this.parts
    return Effect.gen({ self: this }, function* () {
      const email = normalEmail(form.email)
      if (email === null) return yield* refuse(loginFailed)
      const clock = yield* Clock.Clock
      const begun = monotonicMs(clock)
      // Each attempt is a new command, so that it counts as a try. A successful login gives its try back.
      const input = { email, ...(op === "human.open_console" ? { console: true as const } : {}) }
      const hashed = Effect.gen(function* () {
        const found = yield* bus.read(call, { actor: call.client, op: "credential.find", input, anew: true })
        const { human, salt, parameters } = found
        if (only !== undefined && human !== only) return yield* refuse(formUsed)
        const asked = monotonicMs(clock)
        const password = base64(yield* passwords.hash(form.password, salt, parameters))
        return { human, parameters, password, hashMs: monotonicMs(clock) - asked }
      })
      const { human, parameters, password, hashMs } = yield* passwords.by(call, hashed)
      const floor = begun + LOGIN_FLOOR_MS + hashMs
      const token = newToken(human)
      const browser = browserName(call.header("user-agent"))
      const opening = {
        password,
        token: tokenHash(token),
        code: form.code ?? null,
        ...(browser === null ? {} : { browser }),
        ...(call.command === null ? {} : { form: call.command })
      }
      const opened = bus.read(call, { actor: human, op, input: opening, anew: true })
      const untilFloor = Effect.suspend(() => Effect.sleep(Math.max(0, floor - monotonicMs(clock))))
      const { expires_at } = yield* Effect.tapError(opened, () => untilFloor)
      yield* this.renewed(call, human, { tried: form.password, password, parameters })
      const account = yield* bus.read(call, { actor: human, op: "human.account", input: null })
      return { token, expires_at, human: account }
    })
  }

  /** Sends a letter if an account has the address. The answer and its time are the same in any case. */
  forgot(call: Call, email: string): Effect.Effect<void, Refused> {
    const { bus, limits } = this.parts
    return Effect.gen(function* () {
      const address = normalEmail(email)
      if (address === null) return yield* refuse(noAddress)
      // The same form, sent again, asks for one letter.
      const { command } = call
      for (const bucket of ["forgot_per_address", "human_login"] as const)
        yield* command === null ? drawnOf(limits, bucket, call) : drawnOnce(limits, bucket, call, command)
      const asked = bus.ask(call, { actor: call.client, op: "credential.forgot", input: { email: address } })
      const [answered] = yield* Effect.all([Effect.exit(asked), Effect.sleep(FORGOT_FLOOR_MS)], {
        concurrency: "unbounded"
      })
      yield* answered
    })
  }

  /** Sets a new password by the link of a letter, and ends every session. */
  reset(call: Call, { human, token }: LinkToken, password: string): Effect.Effect<void, Refused> {
    const { bus, limits } = this.parts
    return Effect.gen({ self: this }, function* () {
      const found = bus.read(call, { actor: human, op: "human.reset_link", input: { token } })
      // A form that is sent again finds the link used. The account then answers its command as the first time. Anybody
      // can send a form with a link of nobody, so each one counts as a login.
      const person = yield* Effect.catch(found, (failed) =>
        failed.refusal.code === "token_invalid" && call.command !== null
          ? Effect.as(drawnOf(limits, "human_login", call), NOBODY)
          : Effect.fail(failed)
      )
      yield* judged(password, person)
      const chosen = yield* hashedAnew(this.parts, call, password)
      yield* bus.ask(call, { actor: human, op: "human.reset_password", input: { token, password: chosen } })
    })
  }

  /** Changes the password, and ends every session, including the caller's. */
  changePassword(
    call: Call,
    human: string,
    { password, changed }: { readonly password: string; readonly changed: string }
  ): Effect.Effect<void, Refused> {
    const { bus } = this.parts
    return Effect.gen({ self: this }, function* () {
      const person = yield* bus.read(call, { actor: human, op: "human.account", input: null })
      yield* judged(changed, person, "changed")
      const chosen = yield* hashedAnew(this.parts, call, changed)
      const tried = yield* ownHash(this.parts, call, human, password)
      yield* bus.ask(call, { actor: human, op: "human.change_password", input: { password: tried, changed: chosen } })
    })
  }

  /** Hashes the current password of a person with a session. The operation that gets the hash compares it. */
  tried(call: Call, human: string, password: string): Effect.Effect<string, Refused> {
    return ownHash(this.parts, call, human, password)
  }

  /** Deletes the account. `confirm` must be the account's own address. */
  end(
    call: Call,
    human: string,
    { password, confirm }: { readonly password: string; readonly confirm: string }
  ): Effect.Effect<Uint8Array, Refused> {
    const { bus } = this.parts
    return Effect.gen({ self: this }, function* () {
      const tried = yield* ownHash(this.parts, call, human, password)
      const input = { password: tried, confirm: normalEmail(confirm) ?? confirm }
      return yield* bus.ask(call, { actor: human, op: "human.delete", input })
    })
  }

  /**
   * Hashes the password again if its parameters are weaker than today's. A failure is ignored: the next login tries
   * again.
   */
  private renewed(
    call: Call,
    human: string,
    { tried, password, parameters }: { tried: string; password: string; parameters: PasswordParameters }
  ): Effect.Effect<void> {
    if (!isWeaker(parameters, this.parts.passwords.wanted)) return Effect.void
    return Effect.ignore(
      Effect.flatMap(hashedAnew(this.parts, call, tried), (renewed) =>
        this.parts.bus.ask(call, { actor: human, op: "human.renew_password", input: { password, renewed } })
      )
    )
  }
}
