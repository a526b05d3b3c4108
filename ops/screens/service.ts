/** A service with the sample content on loopback. It is started by the harness of the tests. */
import { startConsole, type TestConsole } from "../../tests/console/desk.ts"
import { nameServer } from "../../tests/support/dns.ts"
import { operate } from "../../tests/support/hub.ts"
import { PlayedHost } from "../../tests/support/played-host.ts"
import { type TestService, testService } from "../../tests/support/service.ts"
import { STARTER_LIBRARY } from "../launcher/starter-library.ts"
import { type Community, openCommunity } from "./community.ts"
import { type End, endAll } from "./ends.ts"
import { type Household, openHousehold, ZONE } from "./household.ts"

const DOMAIN = "mail.hub.example"
const COMPARTMENTS_MAX = 3

export interface Sample {
  readonly edge: string
  readonly desk: TestConsole
  readonly service: TestService
  readonly host: PlayedHost
  readonly community: Community
  readonly household: Household
  readonly stop: () => Promise<void>
}

const filled = async (service: TestService, host: PlayedHost): Promise<Omit<Sample, "stop" | "desk">> => {
  const edge = service.edges[0] ?? ""
  await operate(service.system, ["library", "import", STARTER_LIBRARY])
  const community = await openCommunity(edge)
  const household = await openHousehold(service, host, community.agents)
  return { edge, service, host, community, household }
}

/** Opens the service. If that fails, everything that was started is stopped. */
export const openSample = async (): Promise<Sample> => {
  const ends: Array<End> = []
  const stop = (): Promise<void> => endAll(ends)
  try {
    const dns = await nameServer(ZONE)
    ends.push(dns.stop)
    const limits = { "rate_limits.sponsorship.requests": 100 }
    const env = { HUB_DNS_SERVERS: dns.address }
    const service = await testService({ edges: 1, actors: 1, keeper: true, mail: DOMAIN, limits, env })
    ends.push(service.stop)
    const host = await PlayedHost.start(service, COMPARTMENTS_MAX)
    ends.push(async () => host.stop())
    const desk = await startConsole(service)
    ends.push(desk.stop)
    return { ...(await filled(service, host)), desk, stop }
  } catch (cause) {
    await Promise.allSettled([stop()])
    throw cause
  }
}
