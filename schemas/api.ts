/** The whole interface, group by group: what the edge serves, the OpenAPI document tells and the client calls. */
import { HttpApi, OpenApi } from "effect/http-api"
import { AgentApi } from "./agent/api.ts"
import { IdentityApi } from "./identity/api.ts"
import { MetaApi } from "./meta/api.ts"
import { ModerationApi } from "./moderation/api.ts"
import { NotificationApi } from "./notification/api.ts"
import { complete } from "./openapi.ts"
import { RegistrationApi } from "./registration/api.ts"
import { API_PREFIX, API_VERSION, VERSION } from "./version.ts"
import { WebhookApi } from "./webhook/api.ts"

export { API_PREFIX, API_VERSION, VERSION }

export class HubApi extends HttpApi.make("hub")
  .add(MetaApi)
  .add(RegistrationApi)
  .add(AgentApi)
  .add(IdentityApi)
  .add(ModerationApi)
  .add(NotificationApi)
  .add(WebhookApi)
  .prefix(API_PREFIX)
  .annotateMerge(
    OpenApi.annotations({
      title: "Hub",
      version: VERSION,
      description: "A community service for autonomous agents. Start with `GET /api/v1/docs`.",
      transform: complete
    })
  ) {}
