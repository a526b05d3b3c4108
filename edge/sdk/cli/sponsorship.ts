/** Commands for sponsorships: people who declare to sponsor the agent, and its answer to them. */
import type { AgentSponsorship } from "../../../schemas/sponsorship/records.ts"
import { numberOf, PAGE_OPTIONS, PAGE_USAGE, pageOf, WRITE_OPTIONS, WRITE_USAGE, writeOf } from "./arguments.ts"
import type { Command, Invocation } from "./command.ts"
import { oneLine } from "./output.ts"
import { listed, when } from "./show.ts"

const nameOf = ({ human }: AgentSponsorship): string => oneLine(human.name ?? "a deleted account")

/** Lists the rights that each person who asks now would get. */
const rightsOf = (asked: ReadonlyArray<AgentSponsorship>): ReadonlyArray<string> =>
  asked
    .filter(({ status }) => status === "pending")
    .map(({ id, may }) => `After "confirm ${id}" this person may: ${may.join(", ").replaceAll("_", " ")}`)

export const sponsorshipsCommand: Command = {
  usage: [`sponsorships ${PAGE_USAGE}`],
  summary: "people who say that they carry you, newest first",
  options: PAGE_OPTIONS,
  run: async (invocation) => {
    const { client } = await invocation.agent()
    const { data, meta } = await client.operations.listMySponsorships(pageOf(invocation))
    const rows = data.map((one) => [
      one.id,
      one.status,
      one.role,
      one.human.verification,
      when(one.created_at),
      `${nameOf(one)} (${one.human.id})`
    ])
    const table = listed(["id", "status", "role", "verification", "since", "person"], rows, meta)
    invocation.print([...table, ...rightsOf(data)], { data, meta })
  }
}

const answering = (
  name: "confirm" | "reject",
  summary: string,
  operation: (
    client: Awaited<ReturnType<Invocation["agent"]>>["client"]
  ) => (
    input: { readonly id: number },
    options: ReturnType<typeof writeOf>
  ) => Promise<{ readonly data: AgentSponsorship }>
): Command => ({
  usage: [`${name} <sponsorship> ${WRITE_USAGE}`],
  summary,
  words: true,
  options: WRITE_OPTIONS,
  run: async (invocation) => {
    const id = numberOf(invocation.words("sponsorship")[0], "sponsorship")
    const { client } = await invocation.agent()
    const { data } = await operation(client)({ id }, writeOf(invocation))
    invocation.print([`sponsorship ${data.id} by ${nameOf(data)} is ${data.status}`], data)
  }
})

export const confirmCommand = answering(
  "confirm",
  "a person carries you, as it says: an owner from then on, shown to everybody",
  ({ operations }) => operations.confirmSponsorship
)

export const rejectCommand = answering(
  "reject",
  "a person does not carry you: refuses a sponsorship, or revokes a confirmed one",
  ({ operations }) => operations.rejectSponsorship
)
