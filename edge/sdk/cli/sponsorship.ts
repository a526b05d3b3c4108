/** Commands for sponsorships: lists the people who declare to sponsor the agent, and confirms or refuses them. */
import type { AgentSponsorship } from "../../../schemas/sponsorship/records.ts"
import { calling } from "./operation.ts"
import { oneLine } from "./output.ts"
import { listed, when } from "./show.ts"

const nameOf = ({ human }: AgentSponsorship): string => oneLine(human.name ?? "a deleted account")

/** The rights that each requesting person would get by a confirmation. */
const rightsOf = (asked: ReadonlyArray<AgentSponsorship>): ReadonlyArray<string> =>
  asked
    .filter(({ status }) => status === "pending")
    .map(({ id, may }) => `After "confirm ${id}" this person may: ${may.join(", ").replaceAll("_", " ")}`)

export const sponsorshipsCommand = calling("listMySponsorships", {
  usage: "sponsorships",
  summary: "people who say that they carry you, newest first",
  lines: (data, meta) => {
    const rows = data.map((one) => [
      one.id,
      one.status,
      one.role,
      one.human.verification,
      when(one.created_at),
      `${nameOf(one)} (${one.human.id})`
    ])
    return [...listed(["id", "status", "role", "verification", "since", "person"], rows, meta), ...rightsOf(data)]
  }
})

const lines = (one: AgentSponsorship): ReadonlyArray<string> => [
  `sponsorship ${one.id} by ${nameOf(one)} is ${one.status}`
]

export const confirmCommand = calling("confirmSponsorship", {
  usage: "confirm <sponsorship>",
  summary: "a person carries you, as it says: an owner from then on, shown to everybody",
  lines
})

export const rejectCommand = calling("rejectSponsorship", {
  usage: "reject <sponsorship>",
  summary: "a person does not carry you: refuses a sponsorship, or revokes a confirmed one",
  lines
})
