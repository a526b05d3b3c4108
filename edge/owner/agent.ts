/** An owner's page of an agent: the conversation, mail, vault and compartments (spec 4.10; contract 20). */
import { Effect, Schema } from "effect"
import { notFound } from "../../schemas/errors.ts"
import { OwnerText } from "../../schemas/owner/api.ts"
import { type OwningCompartments, compartmentsOfAgent } from "../compartment/index.ts"
import type { LaterOwners } from "./later.ts"
import {
  type OwningMail,
  closingForm,
  CONFIRM_WORD,
  type MailSection,
  mailSection,
  type RefusedClosing
} from "../mail/index.ts"
import {
  type OwningVault,
  consentForm,
  consentSection,
  REVOKE_WORD,
  type RefusedRevoking,
  revokingForm,
  vaultSection
} from "../vault/index.ts"
import type { Owning } from "./owning.ts"
import { withProblems, type Member, type OwnerSpace, type PageAnswer } from "../human/index.ts"
import type { Call } from "../http/call.ts"
import { clamped } from "../http/query.ts"
import { refuse } from "../http/refused.ts"
import { agentPage, agentPath, formName, type Refusing } from "./agent-view.ts"
import { laterSection } from "./later-view.ts"
import { type Html, NOTHING } from "../kit/html.ts"
import { checkOf, ended, NO_PROBLEMS, type Problems, type FieldProblems } from "../kit/owner/fields.ts"

interface AgentForm {
  readonly form_token?: string
  readonly message?: string
  readonly option?: string
  readonly text?: string
}

interface Closing {
  readonly form_token?: string
  readonly mailbox?: string
  readonly confirm?: string
}

interface Consenting {
  readonly form_token?: string
  readonly fill?: string
  readonly act?: string
}

interface Revoking {
  readonly form_token?: string
  readonly entry?: string
  readonly confirm?: string
}

interface AgentRequest {
  readonly params: { readonly handle: string }
}

const PER_PAGE = 20
const PAGE_MAX = 100_000
const NUMBER = /^[1-9]\d{0,14}$/

const isNumber = Schema.is(Schema.String.check(Schema.isPattern(NUMBER)))
const FIELD_PROBLEMS: FieldProblems = {
  rate_limited: ["text", "You have written as much as a person may in one day. Please send it again tomorrow."]
}
const check = checkOf("What you write", OwnerText)

/** Forms send `\r\n` as line breaks. */
const textOf = ({ option, text = "" }: AgentForm): string => (option ?? text).replaceAll("\r\n", "\n").trim()

interface Showing {
  readonly page: number
  readonly status: number
  readonly refusing: Refusing | null
  readonly refused: RefusedClosing | null
  readonly revoking: RefusedRevoking | null
}

const PLAIN: Showing = { page: 1, status: 200, refusing: null, refused: null, revoking: null }

const isWord = (typed: string | undefined, word: string): boolean => (typed ?? "").trim().toLowerCase() === word

interface Parts {
  readonly owning: Owning
  readonly later: LaterOwners
  readonly mail: OwningMail
  readonly vaults: OwningVault
  readonly compartments: OwningCompartments
}

export const ownedAgentPages = (space: OwnerSpace, { owning, later, mail, vaults, compartments }: Parts) => {
  /** Later owners, only on the first page. The page is shown without them if they are unavailable. */
  const laterOf = (
    call: Call,
    member: Member,
    agent: { readonly id: string; readonly handle: string },
    page: number
  ): Effect.Effect<Html> =>
    page !== 1
      ? Effect.succeed(NOTHING)
      : Effect.map(
          Effect.orElseSucceed(later.shown(call, member.person.human, agent.id), () => []),
          (found) => laterSection(space, member, agent, found)
        )

  /** Compartments, only on the first page. The page is shown without them if they are unavailable. */
  const compartmentsOf = (
    call: Call,
    { person: { human } }: Member,
    agent: string,
    page: number
  ): Effect.Effect<Html> =>
    page !== 1
      ? Effect.succeed(NOTHING)
      : Effect.map(
          Effect.orElseSucceed(compartments.ofAgent(call, human, agent), () => []),
          (placed) => compartmentsOfAgent(space, placed)
        )

  /** Mail, only on the first page. The page is shown without it if it is unavailable. */
  const mailOf = (call: Call, member: Member, section: Omit<MailSection, "mail">, page: number): Effect.Effect<Html> =>
    mail.isThere && page === 1
      ? Effect.map(
          Effect.orElseSucceed(mail.shown(call, section.id), () => null),
          (found) => mailSection(space, member, { ...section, mail: found })
        )
      : Effect.succeed(NOTHING)

  /** Fills that wait for consent, and the other parts of the vault. */
  const vaultOf = (
    call: Call,
    member: Member,
    agent: { readonly id: string; readonly handle: string },
    showing: Showing
  ) =>
    showing.page !== 1
      ? Effect.succeed({ consents: NOTHING, vault: NOTHING })
      : Effect.map(
          Effect.orElseSucceed(vaults.shown(call, member.person.human, agent.id), () => undefined),
          (vault) => {
            const section = { ...agent, vault, refused: showing.revoking }
            const consents = consentSection(space, member, section)
            return { consents, vault: vaultSection(space, member, section) }
          }
        )

  const shown = (call: Call, member: Member, handle: string, showing: Showing): PageAnswer =>
    Effect.gen(function* () {
      const { page, refusing, refused, status } = showing
      const { human } = member.person
      const id = yield* owning.agent(call, handle)
      const owned = yield* owning.conversation(call, human, id, { page, per_page: PER_PAGE })
      const pages = Math.ceil(owned.conversation.total / PER_PAGE)
      const mailShown = yield* mailOf(call, member, { id, handle, refused }, page)
      const { consents, vault } = yield* vaultOf(call, member, { id, handle }, showing)
      const owners = yield* laterOf(call, member, { id, handle }, page)
      const sections = {
        consents,
        owners,
        mail: mailShown,
        vault,
        compartments: yield* compartmentsOf(call, member, id, page)
      }
      const made = agentPage(space, member, { ...owned, id, handle, page, pages, refusing, ...sections })
      return space.page(call, member, status === 200 ? made : withProblems(made, status))
    })

  return {
    agent: (call: Call, { params, query }: AgentRequest & { readonly query: { readonly page?: string } }): PageAnswer =>
      space.asMember(call, (member) =>
        shown(call, member, params.handle.toLowerCase(), { ...PLAIN, page: clamped(query.page, 1, PAGE_MAX, 1) })
      ),
    writeToAgent: (call: Call, { params, form }: AgentRequest & { readonly form: AgentForm }): PageAnswer =>
      space.asMember(call, (member) =>
        Effect.gen(function* () {
          const handle = params.handle.toLowerCase()
          const { human } = member.person
          const id = yield* owning.agent(call, handle)
          const message = isNumber(form.message) ? Number(form.message) : null
          yield* space.taken(call, member, formName(id, message), form)
          const text = textOf(form)
          const problem = check(text)
          const problems: Problems = problem === null ? NO_PROBLEMS : { text: problem }
          const act = owning.answer(call, human, id, { message, text })
          const outcome = yield* ended(problems, ["text"], FIELD_PROBLEMS, act)
          if (outcome.ok)
            return space.goTo(call, agentPath(handle), message === null ? "agent_written" : "agent_answered")
          if (outcome.retryAfter !== undefined) call.headers["retry-after"] = String(outcome.retryAfter)
          const refusing = { message, text, problems: outcome.problems }
          return yield* shown(call, member, handle, { ...PLAIN, refusing, status: outcome.status })
        })
      ),
    closeAgentMailbox: (call: Call, { params, form }: AgentRequest & { readonly form: Closing }): PageAnswer =>
      space.asMember(call, (member) =>
        Effect.gen(function* () {
          const handle = params.handle.toLowerCase()
          const { human } = member.person
          const id = yield* owning.agent(call, handle)
          if (!isNumber(form.mailbox)) return yield* refuse(notFound("mailbox"))
          const mailbox = Number(form.mailbox)
          yield* space.taken(call, member, closingForm(id, mailbox), form)
          const isMeant = isWord(form.confirm, CONFIRM_WORD)
          const problems: Problems = isMeant ? NO_PROBLEMS : { confirm: `Type ${CONFIRM_WORD} to close the mailbox.` }
          const outcome = yield* ended(problems, ["confirm"], {}, mail.close(call, human, id, mailbox))
          if (outcome.ok) return space.goTo(call, agentPath(handle), "mailbox_closed")
          const refused = { mailbox, problems: outcome.problems }
          return yield* shown(call, member, handle, { ...PLAIN, refused, status: outcome.status })
        })
      ),
    consentToFill: (call: Call, { params, form }: AgentRequest & { readonly form: Consenting }): PageAnswer =>
      space.asMember(call, (member) =>
        Effect.gen(function* () {
          const handle = params.handle.toLowerCase()
          const { human } = member.person
          const id = yield* owning.agent(call, handle)
          const allow = form.act === "allow"
          if (!isNumber(form.fill) || (!allow && form.act !== "decline")) return yield* refuse(notFound("fill"))
          const fill = Number(form.fill)
          yield* space.taken(call, member, consentForm(id, fill), form)
          const outcome = yield* vaults.consent(call, human, id, fill, allow)
          const notice = outcome === "over" ? "fill_over" : allow ? "fill_allowed" : "fill_declined"
          return space.goTo(call, agentPath(handle), notice)
        })
      ),
    revokeVaultEntry: (call: Call, { params, form }: AgentRequest & { readonly form: Revoking }): PageAnswer =>
      space.asMember(call, (member) =>
        Effect.gen(function* () {
          const handle = params.handle.toLowerCase()
          const { human } = member.person
          const id = yield* owning.agent(call, handle)
          if (!isNumber(form.entry)) return yield* refuse(notFound("entry"))
          const entry = Number(form.entry)
          yield* space.taken(call, member, revokingForm(id, entry), form)
          const problems: Problems = isWord(form.confirm, REVOKE_WORD)
            ? NO_PROBLEMS
            : { confirm: `Type ${REVOKE_WORD} to revoke the entry.` }
          const outcome = yield* ended(problems, ["confirm"], {}, vaults.revoke(call, human, id, entry))
          if (outcome.ok) return space.goTo(call, agentPath(handle), "entry_revoked")
          const revoking = { entry, problems: outcome.problems }
          return yield* shown(call, member, handle, { ...PLAIN, revoking, status: outcome.status })
        })
      )
  }
}
