/** People who sponsor agents, on the pages and over the interface. */
import { waitFor } from "../harness/index.ts"
import { formsOf, OwnerClient } from "../html/owner/client.ts"
import type { Answer } from "./http.ts"
import { dataOf } from "./outcome.ts"
import { PersonClient } from "./person.ts"
import { tokensTo } from "./outbox.ts"
import type { TestService } from "./service.ts"
import { anAgent, answer, type Carried, declared, withdraw } from "./sponsorship.ts"

type Edges = ReadonlyArray<string>

/** An agent, by the name in its page's address. */
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

  /** Answers a message with a text. */
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

  /** Declares a sponsorship without the agent's confirmation. */
  async asked(agent: Carried): Promise<Carried> {
    await declared(this.person, agent)
    return agent
  }

  /** Declares a sponsorship and has the agent confirm it. Returns its number. */
  async carries(agent: Carried): Promise<number> {
    const { id } = await declared(this.person, agent)
    dataOf(await answer(agent, id, "confirm"))
    // The agent's page is available once the agent knows about its owner.
    await waitFor(async () => (await this.client.get(this.page(agent))).status === 200, {
      describe: "an owner of the agent"
    })
    return id
  }

  /** Withdraws the sponsorship, and waits until the agent knows about it. */
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

/**
 * Registers a person, with a session for pages and a token for the interface. People are registered one after the
 * other, because a client may use only a small share of password hashing.
 */
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

/** An owner with a verified address, who may consent to fills. */
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

/**
 * Waits until the owner's page shows a message of the agent that contains the text. Returns the number of the newest.
 */
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
