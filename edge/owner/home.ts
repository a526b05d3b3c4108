/** The overview: agents that a person sponsors. The person declares and withdraws sponsorships here. */
import { Effect } from "effect"
import type { HomeAction } from "../../schemas/human/pages.ts"
import { OWNER_PATH } from "../../schemas/human/pages.ts"
import type { HumanSponsorship } from "../../schemas/sponsorship/records.ts"
import { notFound } from "../../schemas/errors.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import { WORDS_ASKED_MAX } from "../../schemas/owner/operations.ts"
import type { Bus } from "../bus/bus.ts"
import { oneLine } from "../content/one-line.ts"
import type { OwningCompartments, StandingCompartment } from "../compartment/index.ts"
import type { LaterOwners } from "./later.ts"
import type { OwningVault } from "../vault/index.ts"
import type { Sponsoring } from "../sponsorship/index.ts"
import { withProblems, type Member, type OwnerSpace, type PageAnswer } from "../human/index.ts"
import type { Call } from "../http/call.ts"
import { refuse } from "../http/refused.ts"
import { PART_WAIT_MS } from "../kit/optional.ts"
import { carriedOf } from "./carried.ts"
import { ended, NO_PROBLEMS, type Problems, type FieldProblems } from "../kit/owner/fields.ts"
import { formName, homePage, type Latest } from "./home-view.ts"
import type { LaterOf } from "./waiting-view.ts"

interface HomeForm {
  readonly action: HomeAction
  readonly form_token?: string
  readonly agent?: string
  readonly role?: string
}

const WORDS_CHARS = 80
const ABREAST = 10

const beginningOf = (text: string): string => {
  const first =
    text
      .split("\n")
      .map(oneLine)
      .find((line) => line !== "") ?? ""
  const signs = [...first]
  return signs.length <= WORDS_CHARS ? first : `${signs.slice(0, WORDS_CHARS - 1).join("")}…`
}

const DECLARING: FieldProblems = {
  not_found: ["agent", "There is no such agent."],
  sponsorship_exists: ["agent", "You have asked this agent already, or it has refused within the last days."],
  sponsorship_limit: ["agent", "One more is not possible: you or the agent have as many as there may be."]
}

type Sponsorships = ReadonlyArray<HumanSponsorship>

/** The latest messages by agent. Empty if they are unavailable, because the page has other content. */
const latestOf = (bus: Bus, call: Call, human: string): Effect.Effect<ReadonlyMap<string, Latest>> =>
  Effect.gen(function* () {
    const found = yield* bus.query(call, "owner_latest", { human })
    const messages = found.slice(0, WORDS_ASKED_MAX).map(({ id }) => id)
    const asked = messages.length === 0 ? Effect.succeed([]) : bus.query(call, "owner_words", { messages })
    const words = new Map((yield* Effect.orElseSucceed(asked, () => [])).map(({ id, text }) => [id, beginningOf(text)]))
    return new Map(found.map(({ agent, id, unread }) => [agent, { words: words.get(id) ?? null, unread }]))
  }).pipe(Effect.orElseSucceed(() => new Map()))

interface Parts {
  readonly sponsoring: Sponsoring
  readonly bus: Bus
  readonly vaults: OwningVault
  readonly later: LaterOwners
  readonly compartments: OwningCompartments
}

export const homePages = (space: OwnerSpace, { sponsoring, bus, vaults, later, compartments }: Parts) => {
  /** Empty if the compartments are unavailable. */
  const compartmentsOf = (call: Call, human: string, sponsorships: Sponsorships) => {
    const carried = carriedOf(sponsorships).map(({ id }) => id)
    return Effect.orElseSucceed(
      compartments.standing(call, human, carried),
      (): ReadonlyArray<StandingCompartment> => []
    )
  }

  /** Later owners whom the person may approve or reject and has not. Agents that do not answer in time are left out. */
  const undecided = (call: Call, human: string, sponsorships: Sponsorships): Effect.Effect<ReadonlyArray<LaterOf>> => {
    const deadline = wallMs(call.clock) + PART_WAIT_MS
    return Effect.map(
      Effect.forEach(
        carriedOf(sponsorships),
        (agent) =>
          Effect.orElseSucceed(
            Effect.map(later.shown(call, human, agent.id, deadline), (owners) =>
              owners.filter(({ approves }) => approves === null).map((owner) => ({ agent, owner }))
            ),
            (): ReadonlyArray<LaterOf> => []
          ),
        { concurrency: ABREAST }
      ),
      (all) => all.flat()
    )
  }

  const shown = (
    call: Call,
    member: Member,
    typed: string | undefined,
    problems: Problems,
    status: number
  ): PageAnswer => {
    const { human } = member.person
    const account = bus.read(call, { actor: human, op: "human.account", input: null })
    const sponsored = Effect.flatMap(bus.query(call, "sponsored", { human }), (sponsorships) =>
      Effect.all(
        {
          sponsorships: Effect.succeed(sponsorships),
          compartments: compartmentsOf(call, human, sponsorships),
          later: undecided(call, human, sponsorships)
        },
        { concurrency: "unbounded" }
      )
    )
    const asked = bus.query(call, "owner_questions", { human })
    const captchas = bus.query(call, "captchas_pending", { human })
    const consents = vaults.pending(call, human)
    return Effect.map(
      Effect.all([account, sponsored, asked, captchas, consents, latestOf(bus, call, human)], {
        concurrency: "unbounded"
      }),
      ([{ name }, found, questions, captchas, consents, latest]) => {
        const unread = carriedOf(found.sponsorships).map((agent) => ({
          agent,
          unread: latest.get(agent.id)?.unread ?? 0
        }))
        const waiting = { questions, captchas, consents, latest, unread }
        const page = homePage(space, member, { ...found, ...waiting, name, typed, problems })
        return space.page(call, member, status === 200 ? page : withProblems(page, status))
      }
    )
  }

  const acted = (call: Call, { person: { human } }: Member, { action, agent = "", role }: HomeForm) =>
    action === "declare"
      ? sponsoring.declare(call, human, { agent: agent.trim(), role: role === "creator" ? "creator" : "guarantor" })
      : sponsoring.withdraw(call, human, agent)

  return {
    home: (call: Call): PageAnswer =>
      space.asMember(call, (member) => shown(call, member, undefined, NO_PROBLEMS, 200)),
    changeAgents: (call: Call, { form }: { readonly form: HomeForm }): PageAnswer =>
      space.asMember(call, (member) =>
        Effect.gen(function* () {
          const { action, agent } = form
          yield* space.taken(call, member, formName(action, agent), form)
          const missing = action === "declare" && (agent ?? "").trim() === ""
          const problems = missing ? { agent: "Say which agent." } : NO_PROBLEMS
          const act = Effect.catch(acted(call, member, form), (failed) =>
            // Another window may have sent the same form before.
            action === "withdraw" && failed.refusal.code === "sponsorship_not_pending"
              ? Effect.void
              : Effect.fail(failed)
          )
          const outcome = yield* ended(problems, ["agent"], action === "declare" ? DECLARING : {}, act)
          if (outcome.ok) return space.goTo(call, OWNER_PATH, action === "declare" ? "agent_asked" : "agent_withdrawn")
          if (action === "withdraw") return yield* refuse(notFound("agent"))
          return yield* shown(call, member, agent, outcome.problems, outcome.status)
        })
      )
  }
}
