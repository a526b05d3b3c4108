/** Everything that stands outside the interface, group by group: see page.ts. */
import { HttpApi } from "effect/http-api"
import { AgentPages } from "./agent/pages.ts"
import { IdentityPages } from "./identity/pages.ts"
import { MetaPages } from "./meta/pages.ts"

export class HubPages extends HttpApi.make("pages").add(MetaPages).add(AgentPages).add(IdentityPages) {}
