/** A service of its own with the sample content, on loopback, in a temporary folder. */
import setup from "../../tests/harness/global-setup.ts"
import { endTenants } from "../../tests/harness/tenants.ts"
import { nameServer } from "../../tests/support/dns.ts"
import { operate } from "../../tests/support/hub.ts"
import { PlayedHost } from "../../tests/support/played-host.ts"
import { type TestService, testService } from "../../tests/support/service.ts"
import { STARTER_LIBRARY } from "../launcher/starter-library.ts"
import { type Community, openCommunity } from "./community.ts"
import { type Household, openHousehold, ZONE } from "./household.ts"

const DOMAIN = "mail.hub.example"
const COMPARTMENTS_MAX = 3

export interface Sample {
  readonly edge: string
  readonly community: Community
  readonly household: Household
}

const filled = async (service: TestService, host: PlayedHost): Promise<Sample> => {
  const edge = service.edges[0] ?? ""
  await operate(service.system, ["library", "import", STARTER_LIBRARY])
  const community = await openCommunity(edge)
  return { edge, community, household: await openHousehold(service, host, community.agents) }
}

const interrupted = (): Promise<never> =>
  new Promise((_, reject) => {
    const end = (signal: string): void => reject(new Error(`ended by ${signal}`))
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end)
  })

/** Everything has ended when it settles, also where `use` fails or a signal comes. */
export const withSample = async (use: (sample: Sample) => Promise<void>): Promise<void> => {
  const ends: Array<() => Promise<unknown>> = [await setup(), endTenants]
  try {
    const dns = await nameServer(ZONE)
    ends.push(dns.stop)
    const limits = { "rate_limits.sponsorship.requests": 100 }
    const env = { HUB_DNS_SERVERS: dns.address }
    const service = await testService({ edges: 1, actors: 1, keeper: true, mail: DOMAIN, limits, env })
    ends.push(service.stop)
    const host = await PlayedHost.start(service, COMPARTMENTS_MAX)
    ends.push(async () => host.stop())
    await Promise.race([interrupted(), filled(service, host).then(use)])
  } finally {
    for (const end of ends.toReversed()) await end()
  }
}
