/** People and agents with sponsorships between them. */
import type { Notification } from "../../schemas/notification/api.ts"
import type { AgentSponsorship, HumanSponsorship } from "../../schemas/sponsorship/records.ts"
import { waitFor } from "../harness/index.ts"
import type { Answer } from "./http.ts"
import { AgentClient } from "./client.ts"
import { tokensTo } from "./outbox.ts"
import { dataOf } from "./outcome.ts"
import { PersonClient, type PersonOptions } from "./person.ts"
import { register, type Registered } from "./register.ts"
import type { TestService } from "./service.ts"

export interface Carried {
  readonly client: AgentClient
  readonly agent: Registered
}

type Edges = ReadonlyArray<string>

/** Alternates between the edges. */
const turning = (edges: Edges): (() => string) => {
  let turn = 0
  return () => edges[turn++ % edges.length] ?? ""
}

export const anAgent = async (edges: Edges): Promise<Carried> => {
  const client = new AgentClient({ edge: turning(edges) })
  return { client, agent: await register(client, { edge: edges[0] ?? "" }) }
}

export const aPerson = async (edges: Edges, options: Partial<PersonOptions> = {}): Promise<PersonClient> => {
  const person = new PersonClient({ edge: turning(edges), ...options })
  dataOf(await person.signUp())
  dataOf(await person.logIn())
  return person
}

export const confirmAddress = async (service: TestService, person: PersonClient): Promise<void> => {
  const [token] = await tokensTo(service, person.email, "/owner/verify")
  dataOf(await person.call("POST", "/humans/verify-email", { token }))
}

export const declare = (person: PersonClient, agent: string, role?: string): Promise<Answer> =>
  person.call("POST", "/humans/me/agents", role === undefined ? { agent } : { agent, role })

export const declared = async (
  person: PersonClient,
  { agent }: { readonly agent: { readonly handle: string } }
): Promise<HumanSponsorship> => dataOf<HumanSponsorship>(await declare(person, agent.handle))

export const answer = (
  { client }: Carried,
  id: number | string,
  what: "confirm" | "reject",
  options: Parameters<AgentClient["call"]>[2] = {}
): Promise<Answer> => client.call("POST", `/api/v1/me/sponsorships/${id}/${what}`, options)

export const withdraw = (person: PersonClient, ref: string): Promise<Answer> =>
  person.call("DELETE", `/humans/me/agents/${ref}`)

export const sponsorshipsOf = async ({ client }: Carried): Promise<ReadonlyArray<AgentSponsorship>> =>
  dataOf(await client.call("GET", "/api/v1/me/sponsorships"))

export const told = ({ client }: Carried, type: string): Promise<Notification> =>
  waitFor(
    async () => {
      const all = dataOf<ReadonlyArray<Notification>>(await client.call("GET", "/api/v1/me/notifications"))
      return all.find((one) => one.type === type)
    },
    { describe: `the agent is told ${type}` }
  )
