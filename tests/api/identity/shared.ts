/** The two edges of a shared service, and agents that are registered there. */
import type { HostVerifications } from "../../../schemas/identity/records.ts"
import { AgentClient } from "../../support/client.ts"
import { dataOf } from "../../support/outcome.ts"
import { register, type Registered } from "../../support/register.ts"
import { sharedService, type TestService } from "../../support/service.ts"

export let service: TestService
export let edge = ""
export let other = ""

/** `processes`: a system whose nodes may be killed. */
export const openShared = async (options: { readonly processes?: boolean } = {}): Promise<void> => {
  service = await sharedService(options)
  edge = service.edges[0] ?? ""
  other = service.edges[1] ?? ""
}

export const closeShared = (): Promise<void> | undefined => service?.stop()

export interface Subject {
  readonly client: AgentClient
  readonly agent: Registered
}

export const subject = async (): Promise<Subject> => {
  const client = new AgentClient({ edge: () => edge })
  return { client, agent: await register(client, { edge }) }
}

/** What is counted of the agent's proofs, by website. */
export const hosts = async ({ client }: Subject): Promise<ReadonlyArray<HostVerifications>> =>
  dataOf<ReadonlyArray<HostVerifications>>(await client.call("GET", "/api/v1/me/id/verifications"))
