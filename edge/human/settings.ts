/** Actions of people in their settings. Each form is one action. */
import { Effect, Schema } from "effect"
import { Name } from "../../schemas/agent/fields.ts"
import { Code, Password, TriedPassword } from "../../schemas/human/fields.ts"
import { type HumanPasskey, PasskeyName } from "../../schemas/human/passkey.ts"
import type { SettingsAction } from "../../schemas/human/pages.ts"
import { invalidField, notFound } from "../../schemas/errors.ts"
import { PushSubscription } from "../../schemas/push/operations.ts"
import type { Bus } from "../bus/bus.ts"
import { browserName } from "./browser-name.ts"
import type { People } from "./people.ts"
import type { Call } from "../http/call.ts"
import { type Refused, refuse } from "../http/refused.ts"
import { plain } from "../http/respond.ts"
import { withProblems } from "./entry.ts"
import { checked, checkOf, type Checks, ended, type FieldProblems } from "../kit/owner/fields.ts"
import { ownerPageHeaders } from "../kit/owner/headers.ts"
import type { Notice } from "./notices.ts"
import { chatPage, chosenBy, pushPage } from "./relay-view.ts"
import { PUSH_WORKER } from "./push-script.ts"
import { formName, type Refusing, SETTINGS_PATH, settingsPage } from "./settings-view.ts"
import { codesPage } from "./two-step-view.ts"
import { addPage, type PasskeysView } from "./passkey-view.ts"
import type { Member, OwnerPage, OwnerSpace, PageAnswer } from "./space.ts"

type SettingsForm = {
  readonly action: SettingsAction
  readonly form_token?: string
  readonly name?: string
  readonly password?: string
  readonly changed?: string
  readonly confirm?: string
  readonly code?: string
  readonly session?: string
  readonly label?: string
  readonly passkey?: string
  readonly browser?: string
  readonly endpoint?: string
  readonly p256dh?: string
  readonly auth?: string
  /** Ticked checkboxes by name. */
  readonly [box: string]: string | undefined
}

type Act<A> = (call: Call, member: Member, form: SettingsForm) => Effect.Effect<A, Refused>

/** An action with a separate page, which shows a secret once. */
interface Showing {
  readonly checks: Checks
  readonly shows: Act<OwnerPage>
}

interface Doing {
  readonly checks: Checks
  readonly does: Act<unknown>
  readonly notice: Notice
  /** The action ends the caller's session. */
  readonly leaves?: true
}

const WRONG: FieldProblems = { login_failed: ["password", "This is not your password."] }
const FIELDS = ["name", "password", "changed", "confirm", "code", "label"]
const NUMBER = /^\d{1,9}$/
const isSubscription = Schema.is(PushSubscription)
const isPassword = checkOf("The password", TriedPassword)

/** A request for a letter counts as done if the address is already confirmed. */
const noticed = (
  { does, notice }: Doing,
  call: Call,
  member: Member,
  form: SettingsForm
): Effect.Effect<Notice, Refused> =>
  Effect.catch(Effect.as(does(call, member, form), notice), (failed) =>
    failed.refusal.code === "already_verified" ? Effect.succeed<Notice>("already_confirmed") : Effect.fail(failed)
  )

/** A new passkey gets the name of the browser, unless its owner types another. */
const passkeysShown = (passkeys: ReadonlyArray<HumanPasskey>, call: Call, refusing: Refusing | null): PasskeysView => {
  const typed = refusing?.action === "offer_passkey" ? refusing.typed["label"] : undefined
  const refused = refusing?.action === "remove_passkey" ? (refusing.typed["passkey"] ?? null) : null
  return { passkeys, label: typed ?? browserName(call.header("user-agent")) ?? "Passkey", refused }
}

export const settingsPages = (space: OwnerSpace, people: People, bus: Bus) => {
  const byPassword = (
    call: Call,
    human: string,
    op: "human.offer_two_step" | "human.disable_two_step",
    password: string
  ) =>
    Effect.flatMap(people.tried(call, human, password), (tried) =>
      bus.ask(call, { actor: human, op, input: { password: tried } })
    )

  const codesOf = (asked: Effect.Effect<{ readonly codes: ReadonlyArray<string> }, Refused>) =>
    Effect.map(asked, ({ codes }) => codesPage(space, codes))

  const DOINGS: Readonly<Record<SettingsAction, Doing | Showing>> = {
    rename: {
      checks: { name: checkOf("The name", Name) },
      does: (call, { person: { human } }, { name = "" }) =>
        bus.ask(call, { actor: human, op: "human.rename", input: { name } }),
      notice: "renamed"
    },
    change_password: {
      checks: { password: isPassword, changed: checkOf("The password", Password) },
      does: (call, { person: { human } }, { password = "", changed = "" }) =>
        people.changePassword(call, human, { password, changed }),
      notice: "password_chosen",
      leaves: true
    },
    end_session: {
      checks: {},
      does: (call, { person: { human, token } }, { session = "" }) =>
        NUMBER.test(session)
          ? bus.ask(call, { actor: human, op: "human.end_sessions", input: { token, session: Number(session) } })
          : Effect.fail(refuse(notFound("session"))),
      notice: "session_ended"
    },
    end_others: {
      checks: {},
      does: (call, { person: { human, token } }) =>
        bus.ask(call, { actor: human, op: "human.end_sessions", input: { token, session: null } }),
      notice: "others_ended"
    },
    send_verification: {
      checks: {},
      does: (call, { person: { human } }) =>
        bus.ask(call, { actor: human, op: "human.send_verification", input: null }),
      notice: "verification_sent"
    },
    offer_two_step: {
      checks: { password: isPassword },
      does: (call, { person: { human } }, { password = "" }) =>
        byPassword(call, human, "human.offer_two_step", password),
      notice: "two_step_offered"
    },
    enable_two_step: {
      checks: { code: checkOf("The code", Code) },
      shows: (call, { person: { human } }, { code = "" }) =>
        codesOf(bus.read(call, { actor: human, op: "human.enable_two_step", input: { code } }))
    },
    disable_two_step: {
      checks: { password: isPassword },
      does: (call, { person: { human } }, { password = "" }) =>
        byPassword(call, human, "human.disable_two_step", password),
      notice: "two_step_off"
    },
    renew_codes: {
      checks: { password: isPassword },
      shows: (call, { person: { human } }, { password = "" }) =>
        codesOf(
          Effect.flatMap(people.tried(call, human, password), (tried) =>
            bus.read(call, { actor: human, op: "human.renew_recovery_codes", input: { password: tried } })
          )
        )
    },
    offer_passkey: {
      checks: { label: checkOf("The name", PasskeyName), password: isPassword },
      shows: (call, member, { password = "", label: name = "" }) =>
        Effect.gen(function* () {
          const { human, token } = member.person
          const tried = yield* people.tried(call, human, password)
          const input = { password: tried, token, name }
          return addPage(space, member, yield* bus.read(call, { actor: human, op: "human.offer_passkey", input }))
        })
    },
    remove_passkey: {
      checks: { password: isPassword },
      does: (call, { person: { human } }, { password = "", passkey = "" }) =>
        NUMBER.test(passkey)
          ? Effect.flatMap(people.tried(call, human, password), (tried) => {
              const input = { password: tried, passkey: Number(passkey) }
              return bus.ask(call, { actor: human, op: "human.remove_passkey", input })
            })
          : Effect.fail(refuse(notFound("passkey"))),
      notice: "passkey_removed"
    },
    offer_chat: {
      checks: {},
      shows: (call, { person: { human } }) =>
        Effect.map(bus.read(call, { actor: human, op: "human.offer_chat", input: null }), (offered) =>
          chatPage(space, offered)
        )
    },
    unlink_chat: {
      checks: {},
      does: (call, { person: { human } }) =>
        bus.ask(call, { actor: human, op: "human.unlink_chat", input: { chat: null } }),
      notice: "chat_unlinked"
    },
    offer_push: {
      checks: {},
      shows: (call, member) =>
        Effect.flatMap(
          bus.read(call, { actor: member.person.human, op: "human.relay_settings", input: null }),
          ({ push }) =>
            push === null ? Effect.fail(refuse(notFound("push"))) : Effect.succeed(pushPage(space, member, push.key))
        )
    },
    subscribe_push: {
      checks: {},
      does: (call, { person: { human } }, { endpoint = "", p256dh = "", auth = "" }) => {
        const name = browserName(call.header("user-agent")) ?? "A browser"
        const input = { name, subscription: { endpoint, keys: { p256dh, auth } } }
        return isSubscription(input.subscription)
          ? bus.ask(call, { actor: human, op: "human.subscribe_push", input })
          : Effect.fail(refuse(invalidField("endpoint", "This is no subscription of a browser.")))
      },
      notice: "push_on"
    },
    end_push: {
      checks: {},
      does: (call, { person: { human } }, { browser = "" }) =>
        NUMBER.test(browser)
          ? bus.ask(call, { actor: human, op: "human.end_push", input: { id: Number(browser) } })
          : Effect.fail(refuse(notFound("subscription"))),
      notice: "push_ended"
    },
    choose_relay: {
      checks: {},
      does: (call, { person: { human } }, form) =>
        bus.ask(call, { actor: human, op: "human.choose_relay", input: { choices: chosenBy(form) } }),
      notice: "relay_chosen"
    },
    delete: {
      checks: { password: isPassword },
      does: (call, { person: { human } }, { password = "", confirm = "" }) =>
        people.end(call, human, { password, confirm }),
      notice: "deleted",
      leaves: true
    }
  }

  const shown = (call: Call, member: Member, refused: { refusing: Refusing; status: number } | null): PageAnswer => {
    const { human, token } = member.person
    const account = bus.read(call, { actor: human, op: "human.account", input: null })
    const sessions = bus.read(call, { actor: human, op: "human.sessions", input: { token } })
    const twoStep = bus.read(call, { actor: human, op: "human.two_step", input: null })
    const known = bus.read(call, { actor: human, op: "human.passkeys", input: null })
    const told = bus.read(call, { actor: human, op: "human.relay_settings", input: null })
    const all = Effect.all([account, sessions, twoStep, known, told], { concurrency: "unbounded" })
    return Effect.map(all, ([account, { sessions }, twoStep, { passkeys: kept }, relay]) => {
      const refusing = refused?.refusing ?? null
      const passkeys = passkeysShown(kept, call, refusing)
      const page = settingsPage(space, member, { account, sessions, twoStep, passkeys, relay, refusing })
      return space.page(call, member, refused === null ? page : withProblems(page, refused.status))
    })
  }

  return {
    pushWorker: (call: Call): PageAnswer =>
      Effect.sync(() => {
        Object.assign(call.headers, ownerPageHeaders)
        return plain(PUSH_WORKER, "text/javascript; charset=utf-8")
      }),
    settings: (call: Call): PageAnswer => space.asMember(call, (member) => shown(call, member, null)),
    change: (call: Call, { form }: { readonly form: SettingsForm }): PageAnswer =>
      space.asMember(call, (member) =>
        Effect.gen(function* () {
          const { action } = form
          const doing = DOINGS[action]
          const which = action === "remove_passkey" ? form.passkey : action === "end_push" ? form.browser : form.session
          yield* space.taken(call, member, formName(action, which), form)
          const act = "shows" in doing ? doing.shows(call, member, form) : noticed(doing, call, member, form)
          const outcome = yield* ended<Notice | OwnerPage>(checked(doing.checks, form), FIELDS, WRONG, act)
          if (!outcome.ok) {
            const { status, problems } = outcome
            return yield* shown(call, member, { refusing: { action, typed: form, problems }, status })
          }
          if (typeof outcome.value !== "string") return space.page(call, member, outcome.value)
          const leaves = "does" in doing && doing.leaves === true
          if (!leaves) return space.goTo(call, SETTINGS_PATH, outcome.value)
          space.forget(call)
          return space.goTo(call, "/owner/login", outcome.value)
        })
      )
  }
}
