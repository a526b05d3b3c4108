/** People who carry agents, at the pages and at the interface. */
import { waitFor } from "../harness/index.ts"
import { formsOf, OwnerClient } from "../html/owner/client.ts"
import type { Answer } from "./http.ts"
import { dataOf } from "./outcome.ts"
import { PersonClient } from "./person.ts"
import { tokensTo } from "./outbox.ts"
import type { TestService } from "./service.ts"
import { anAgent, answer, type Carried, declared, withdraw } from "./sponsorship.ts"

type Edges = ReadonlyArray<string>

/** By what a page is found. */
interface Called {
  readonly agent: { readonly handle: string }
}

export class TestOwner {
  readonly client: OwnerClient
  readonly person: PersonClient

  constructor(client: OwnerClient, person: PersonClient) {
    this.client = client
    this.person = person
  }

  get id(): string {
    return this.person.id
  }

  page({ agent }: Called): string {
    return `/owner/agents/${agent.handle}`
  }

  /** Answers in words of its own. */
  async answer(agent: Called, message: number, text: string): Promise<void> {
    await this.sent(await this.client.fill(this.page(agent), { text }, this.page(agent), { message: String(message) }))
  }

  /** Presses the button of an answer that the agent offers. */
  async press(agent: Called, message: number, option: string): Promise<void> {
    const like = { message: String(message) }
    await this.sent(await this.client.fill(this.page(agent), { option }, this.page(agent), like))
  }

  async write(agent: Called, text: string): Promise<void> {
    const page = await this.client.get(this.page(agent))
    const form = formsOf(page.text).find(
      ({ action, fields }) => action === this.page(agent) && fields["message"] === undefined
    )
    await this.sent(await this.client.post(this.page(agent), { ...form?.fields, text }))
  }

  /** Declared, not confirmed. */
  async asked(agent: Carried): Promise<Carried> {
    await declared(this.person, agent)
    return agent
  }

  /** Declared and confirmed; the number of the sponsorship. */
  async carries(agent: Carried): Promise<number> {
    const { id } = await declared(this.person, agent)
    dataOf(await answer(agent, id, "confirm"))
    // The agent has it once it was told.
    await waitFor(async () => (await this.client.get(this.page(agent))).status === 200, {
      describe: "an owner of the agent"
    })
    return id
  }

  /** Withdraws, and waits until the agent has heard of it. */
  async leaves(agent: Called): Promise<void> {
    dataOf(await withdraw(this.person, agent.agent.handle))
    await this.isGone(agent)
  }

  async isGone(agent: Called): Promise<void> {
    await waitFor(async () => (await this.client.get(this.page(agent))).status === 404, {
      describe: "no owner of the agent"
    })
  }

  async deleted(): Promise<void> {
    dataOf(
      await this.person.call("DELETE", "/humans/me", { password: this.person.password, confirm: this.person.email })
    )
  }

  private async sent(answer: Answer): Promise<void> {
    if (answer.status !== 303) throw new Error(`The form was refused: ${answer.status} ${answer.text.slice(0, 2000)}`)
  }
}

let turn = 0

/** One after the other: a client has a small share of what passwords cost. With a session at the pages, and a token of the interface. */
export const newOwner = async (edges: Edges): Promise<TestOwner> => {
  const client = new OwnerClient(() => edges[turn++ % edges.length] ?? "")
  const { name, email, password } = client
  const person = new PersonClient({ edge: () => edges[turn++ % edges.length] ?? "", name, email, password })
  dataOf(await person.signUp())
  dataOf(await person.logIn())
  const entered = await client.fill("/owner/login", { email, password })
  if (entered.status !== 303) throw new Error(`The owner did not come in: ${entered.status}`)
  return new TestOwner(client, person)
}

/** An owner whose address is verified: such a person may consent to fills. */
export const provenOwner = async (service: TestService): Promise<TestOwner> => {
  const owner = await newOwner(service.edges)
  const [token] = await tokensTo(service, owner.client.email, "/owner/verify")
  dataOf(await owner.person.call("POST", "/humans/verify-email", { token }))
  return owner
}

export interface OwnerOf {
  readonly agent: Carried
  readonly owner: TestOwner
  readonly sponsorship: number
}

export const ownedBy = async (edges: Edges, owner: TestOwner): Promise<OwnerOf> => {
  const agent = await anAgent(edges)
  return { agent, owner, sponsorship: await owner.carries(agent) }
}

/** The number of the newest message of the agent that its owner's page shows, once it does; with such a text. */
export const writtenBy = (owner: TestOwner, agent: Called, text = ""): Promise<number> =>
  waitFor(
    async () => {
      const page = (await owner.client.get(owner.page(agent))).text
      const rows = [...page.matchAll(/<li class="row" id="m-(\d+)">([\s\S]*?)<\/li>/g)]
      const found = rows.find(([, , row = ""]) => row.includes(text))
      return found === undefined ? null : Number(found[1])
    },
    { describe: `the agent's message ${text}` }
  )
