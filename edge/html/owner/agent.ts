/** An owner's page of an agent: read, answered and written to (spec 4.10; contract 20). */
import { Effect, Schema } from "effect"
import { OwnerText } from "../../../schemas/owner/api.ts"
import type { Owning } from "../../owner/owning.ts"
import type { Call } from "../../http/call.ts"
import { clamped } from "../../http/query.ts"
import type { Refused } from "../../http/refused.ts"
import type { Response } from "../../http/respond.ts"
import { agentPage, agentPath, formName, type Refusing } from "./agent-view.ts"
import { withProblems } from "./entry.ts"
import { checkOf, ended, NO_PROBLEMS, type Problems, type Told } from "./fields.ts"
import type { Member, OwnerSpace } from "./space.ts"

type Served = Effect.Effect<Response, Refused>

interface Sent {
  readonly form_token?: string
  readonly message?: string
  readonly option?: string
  readonly text?: string
}

interface Asked {
  readonly params: { readonly handle: string }
}

const PER_PAGE = 20
const PAGE_MAX = 100_000
const NUMBER = /^[1-9]\d{0,14}$/

const isMessage = Schema.is(Schema.String.check(Schema.isPattern(NUMBER)))
const TOLD: Told = {
  rate_limited: ["text", "You have written as much as a person may in one day. Please send it again tomorrow."]
}
const check = checkOf("What you write", OwnerText)

/** As forms send it, with the line breaks of every other text. */
const textOf = ({ option, text = "" }: Sent): string => (option ?? text).replaceAll("\r\n", "\n").trim()

export const agentPages = (space: OwnerSpace, owning: Owning) => {
  const shown = (
    call: Call,
    member: Member,
    handle: string,
    { page, refusing, status }: { readonly page: number; readonly refusing: Refusing | null; readonly status: number }
  ): Served =>
    Effect.gen(function* () {
      const { human } = member.person
      const id = yield* owning.agent(call, handle)
      const owned = yield* owning.conversation(call, human, id, { page, per_page: PER_PAGE })
      const pages = Math.ceil(owned.conversation.total / PER_PAGE)
      const made = agentPage(space, member, { ...owned, id, handle, page, pages, refusing })
      return space.page(call, member, status === 200 ? made : withProblems(made, status))
    })

  const refused = (call: Call, member: Member, handle: string, refusing: Refusing, status: number): Served =>
    shown(call, member, handle, { page: 1, refusing, status })

  return {
    agent: (call: Call, { params, query }: Asked & { readonly query: { readonly page?: string } }): Served =>
      space.asMember(call, (member) =>
        shown(call, member, params.handle.toLowerCase(), {
          page: clamped(query.page, 1, PAGE_MAX, 1),
          refusing: null,
          status: 200
        })
      ),
    writeToAgent: (call: Call, { params, form }: Asked & { readonly form: Sent }): Served =>
      space.asMember(call, (member) =>
        Effect.gen(function* () {
          const handle = params.handle.toLowerCase()
          const { human } = member.person
          const id = yield* owning.agent(call, handle)
          const message = isMessage(form.message) ? Number(form.message) : null
          yield* space.taken(call, member, formName(id, message), form)
          const text = textOf(form)
          const problem = check(text)
          const problems: Problems = problem === null ? NO_PROBLEMS : { text: problem }
          const act = owning.answer(call, human, id, { message, text })
          const outcome = yield* ended(problems, ["text"], TOLD, act)
          if (outcome.ok)
            return space.goTo(call, agentPath(handle), message === null ? "agent_written" : "agent_answered")
          if (outcome.retryAfter !== undefined) call.headers["retry-after"] = String(outcome.retryAfter)
          return yield* refused(call, member, handle, { message, text, problems: outcome.problems }, outcome.status)
        })
      )
  }
}
