/** Pages of compartments for people: view, control, create, and view by a link (spec 4.10, 4.11; contract 18). */
import { Effect } from "effect"
import { CompartmentPages, STEERING_ACTS, type SteeringAct } from "../../schemas/compartment/pages.ts"
import { notFound } from "../../schemas/errors.ts"
import { commandsOfPrograms, isProgram, programsFor } from "./programs.ts"
import { OwningCompartments, type CompartmentView } from "./owning.ts"
import { withProblems, type Notice, type Member, OwnerSpace, type PageAnswer } from "../human/index.ts"
import type { Call } from "../http/call.ts"
import { pagesOf } from "../http/handlers.ts"
import { refuse } from "../http/refused.ts"
import type { Response } from "../http/respond.ts"
import type { EdgeParts } from "../kit/parts.ts"
import { compartmentLinks } from "./link-pages.ts"
import {
  ACCEPTED,
  checkCommand,
  checkName,
  NEW_FORM,
  newCompartmentPage,
  OWN_PROGRAM,
  type SentCompartment
} from "./new-view.ts"
import { compartmentPage, compartmentPath, steeringForm } from "./view.ts"
import { ended, NO_PROBLEMS, type Problems, type FieldProblems } from "../kit/owner/fields.ts"

interface Steering {
  readonly form_token?: string
  readonly act?: string
  readonly confirm?: string
}

const NOTICES: Readonly<Record<SteeringAct, Notice>> = {
  start: "compartment_started",
  stop: "compartment_stopped",
  restart: "compartment_restarted",
  delete: "compartment_deleted"
}

const isAct = (act: string | undefined): act is SteeringAct => STEERING_ACTS.some((one) => one === act)

const STEERED: FieldProblems = {
  compartment_busy: ["act", "It is in between. Wait a little, and try again."],
  compartment_suspended: ["act", "It is suspended: an operator lifts that, or you delete it."],
  confirmation_required: ["confirm", "That is not its name."]
}

const MADE: FieldProblems = {
  compartment_limit: ["refused", "You have one already: delete it first."],
  runtime_full: ["refused", "All places are taken at the moment. Try again later."],
  runtime_unavailable: ["refused", "Compartments cannot be made at the moment. Try again later."],
  compartment_name_taken: ["name", "There is one of that name."],
  content_secret: ["command", "It holds what looks like a secret. Its program gets secrets in another way."],
  sponsorship_limit: ["refused", "You stand behind as many agents as you may: withdraw from one first."],
  email_owner_rule: ["refused", "Your address has to be confirmed first."],
  rate_limited: ["refused", "You have made as many as a person may in one day. Try again tomorrow."]
}

/** Forms send `\r\n` as line breaks. */
const textOf = (typed: string): string => typed.replaceAll("\r\n", "\n").trim()

const isMadeBy = ({ record }: CompartmentView, human: string): boolean =>
  record.created_by === "human" && record.owner?.human_id === human

export const compartmentPages = (parts: EdgeParts) => {
  const { hub } = parts.config
  const space = new OwnerSpace(parts)
  const owning = new OwningCompartments(parts.bus, hub.limits)
  const programs = commandsOfPrograms()
  const offered = programsFor({ mail: hub.mail !== null })
  const termsUrl = `${hub.baseUrl}/api/v1/docs/runtime-terms`

  const page = (call: Call, member: Member, shown: CompartmentView, problems: Problems, status: number): Response => {
    const { human } = member.person
    const made = compartmentPage(space, member, { ...shown, isMade: isMadeBy(shown, human), problems })
    return space.page(call, member, status === 200 ? made : withProblems(made, status))
  }

  const form = (call: Call, member: Member, sent: SentCompartment, problems: Problems, status: number): Response => {
    const made = newCompartmentPage(space, member, {
      form: sent,
      problems,
      programs: offered,
      termsUrl,
      quotas: hub.limits.runtime.quotas
    })
    return space.page(call, member, status === 200 ? made : withProblems(made, status))
  }

  /** The command to run, or its problems by field. */
  const commandIn = ({ program, command = "" }: SentCompartment) => {
    if (isProgram(program) && offered.includes(program)) return { command: programs[program], problem: {} }
    if (program !== OWN_PROGRAM) return { command: "", problem: { program: "Choose what it runs." } }
    const typed = textOf(command)
    const problem = checkCommand(typed)
    return { command: typed, problem: problem === null ? {} : { command: problem } }
  }

  const make = (call: Call, member: Member, sent: SentCompartment): PageAnswer =>
    Effect.gen(function* () {
      if (!member.person.email_verified) return form(call, member, sent, NO_PROBLEMS, 403)
      yield* space.taken(call, member, NEW_FORM, sent)
      const name = (sent.name ?? "").trim()
      const { command, problem } = commandIn(sent)
      const nameProblem = checkName(name)
      const problems: Problems = {
        ...(nameProblem === null ? {} : { name: nameProblem }),
        ...problem,
        ...(sent.accept_terms === ACCEPTED ? {} : { accept_terms: "Nothing runs here without that." })
      }
      const making = owning.make(call, member.person.human, { name, command })
      const outcome = yield* ended(problems, ["name", "command"], MADE, making)
      if (outcome.ok) return space.goTo(call, compartmentPath(outcome.value), "compartment_made")
      if (outcome.retryAfter !== undefined) call.headers["retry-after"] = String(outcome.retryAfter)
      return form(call, member, sent, outcome.problems, outcome.status)
    })

  const steer = (call: Call, member: Member, id: string, sent: Steering): PageAnswer =>
    Effect.gen(function* () {
      const { human } = member.person
      const { act, confirm = "" } = sent
      if (!isAct(act)) return yield* refuse(notFound("compartment"))
      yield* space.taken(call, member, steeringForm(id, act), sent)
      const outcome = yield* ended(NO_PROBLEMS, [], STEERED, owning.steer(call, human, id, act, confirm.trim()))
      if (outcome.ok) return space.goTo(call, act === "delete" ? "/owner" : compartmentPath(id), NOTICES[act])
      return page(call, member, yield* owning.shown(call, human, id), outcome.problems, outcome.status)
    })

  return pagesOf(CompartmentPages, {
    newCompartment: (call) =>
      space.asMember(call, (member) => Effect.sync(() => form(call, member, {}, NO_PROBLEMS, 200))),
    makeCompartment: (call, { form: sent }) => space.asMember(call, (member) => make(call, member, sent)),
    compartment: (call, { params }) =>
      space.asMember(call, (member) =>
        Effect.map(owning.shown(call, member.person.human, params.id), (shown) =>
          page(call, member, shown, NO_PROBLEMS, 200)
        )
      ),
    steerCompartment: (call, { params, form: sent }) =>
      space.asMember(call, (member) => steer(call, member, params.id, sent)),
    ...compartmentLinks(space, owning, { baseUrl: hub.baseUrl, seconds: hub.limits.runtime.web_link_seconds })
  })
}
