/** People with compartments, over a service of a test's own with a host that is played. */
import { expect } from "vitest"
import type { KnownCompartment } from "../../../schemas/compartment/operations.ts"
import { FLEET_ID } from "../../../schemas/fleet/operations.ts"
import type { Answer } from "../../support/http.ts"
import { tokensTo } from "../../support/outbox.ts"
import { dataOf } from "../../support/outcome.ts"
import { newOwner, type TestOwner } from "../../support/owner.ts"
import { PlayedHost } from "../../support/played-host.ts"
import { type TestService, testService } from "../../support/service.ts"
import { type Fields, problemsOf } from "./client.ts"

export const NEW = "/owner/compartments/new"
export const MANY = 50
export const WANTED: Fields = { name: "quiet", program: "empty-shell", accept_terms: "yes" }

export const pathOf = (id: string): string => `/owner/compartments/${id}`

export class Compartments {
  readonly service: TestService
  readonly host: PlayedHost

  private constructor(service: TestService, host: PlayedHost) {
    this.service = service
    this.host = host
  }

  static async start(): Promise<Compartments> {
    const service = await testService({ edges: 2, actors: 2 })
    return new Compartments(service, await PlayedHost.start(service, MANY))
  }

  async stop(): Promise<void> {
    this.host.stop()
    await this.service.stop()
  }

  /** With an address that is confirmed. */
  async person(): Promise<TestOwner> {
    const owner = await newOwner(this.service.edges)
    const [token] = await tokensTo(this.service, owner.client.email, "/owner/verify")
    dataOf(await owner.person.call("POST", "/humans/verify-email", { token }))
    return owner
  }

  /** Of a compartment of one's own: its record as its actor has it. */
  async record({ id: human }: TestOwner, id: string): Promise<KnownCompartment> {
    const by = { type: "human", human } as const
    return (await this.service.view.command("compartment.look", id, { by })).compartment
  }

  desired(id: string) {
    return this.service.view.command("compartment.desired", id, { host: this.host.id })
  }

  async runs(id: string): Promise<void> {
    await this.host.tells(id, { type: "running", run: (await this.desired(id)).run, at: Date.now() })
  }

  async stops(id: string): Promise<void> {
    const exit = { exit_code: 143, oom_killed: false, why: "stopped", at: Date.now() } as const
    await this.host.tells(id, { type: "exited", run: (await this.desired(id)).run, ...exit })
  }

  places({ id: human }: TestOwner) {
    const input = { agents: null, human, page: 1, per_page: MANY }
    return this.service.view.command("fleet.places", FLEET_ID, input)
  }
}

/** The id of what the form made. */
export const madeBy = async ({ client }: TestOwner, fields: Fields = WANTED): Promise<string> => {
  const answer = await client.fill(NEW, fields)
  expect([answer.status, problemsOf(answer)]).toEqual([303, []])
  const [, id = ""] = /^\/owner\/compartments\/(cmp_[0-9a-z]{20})$/.exec(answer.headers.location ?? "") ?? []
  expect(id).not.toBe("")
  return id
}

export const steered = ({ client }: TestOwner, id: string, act: string, more: Fields = {}): Promise<Answer> =>
  client.fill(pathOf(id), more, pathOf(id), { act })
