/** An edge, put together. Opened in a scope; closing the scope stops it in the reverse order. */
import { randomUUID } from "node:crypto"
import type { Server } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer, type Scope } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { HubApi } from "../schemas/api.ts"
import { VerifyKeys } from "./auth/keys.ts"
import { Verifier } from "./auth/verify.ts"
import { BusService } from "./bus/bus.ts"
import { type EdgeBus, openBus } from "./bus/service.ts"
import type { ConfigProblem, EdgeConfig } from "./config.ts"
import { type Documents, DocumentsService, loadDocuments } from "./docs/documents.ts"
import { pagesOf } from "./html/pages.ts"
import { refusedPage } from "./html/refused.ts"
import { Clients } from "./http/address.ts"
import { BodyBudget } from "./http/body.ts"
import { ENDPOINTS, EndpointTable } from "./http/endpoints.ts"
import { EdgeLimits } from "./http/limits.ts"
import type { RequestLog } from "./http/log.ts"
import { Pipeline, type Routes } from "./http/pipeline.ts"
import { serve } from "./http/server.ts"
import { EdgeConfigService, IdentitiesService, LimitsService, LinkService } from "./http/services.ts"
import { type Identities, identitiesOf } from "./identity/identities.ts"
import { AgentRoutes } from "./routes/agent.ts"
import { IdentityRoutes } from "./routes/identity.ts"
import { MetaRoutes } from "./routes/meta.ts"
import { NotificationRoutes } from "./routes/notification.ts"
import { RegistrationRoutes } from "./routes/registration.ts"

/** Paths are matched before they come here (endpoints.ts); the router must not be more generous. */
const ROUTER = { ignoreTrailingSlash: false, ignoreDuplicateSlashes: false, caseSensitive: true, maxParamLength: 256 }

const routesOf = (config: EdgeConfig, bus: EdgeBus, limits: EdgeLimits, documents: Documents, identities: Identities): Effect.Effect<Routes, never, Scope.Scope> =>
  HttpRouter.toHttpEffect(
    HttpApiBuilder.layer(HubApi).pipe(
      Layer.provide([MetaRoutes, RegistrationRoutes, AgentRoutes, IdentityRoutes, NotificationRoutes]),
      Layer.provide([
        Layer.succeed(BusService, bus.bus),
        Layer.succeed(EdgeConfigService, config),
        Layer.succeed(LimitsService, limits),
        Layer.succeed(IdentitiesService, identities),
        Layer.succeed(LinkService, bus.link),
        Layer.succeed(DocumentsService, documents)
      ]),
      Layer.provide(NodeHttpServer.layerHttpServices)
    )
  ).pipe(Effect.provideService(HttpRouter.RouterConfig, ROUTER))

export const openEdge = (config: EdgeConfig, log: RequestLog): Effect.Effect<Server, ConfigProblem, Scope.Scope> =>
  Effect.gen(function*() {
    const { hub } = config
    const documents = yield* Effect.promise(() => loadDocuments(config))
    const bus = yield* openBus(hub.natsUrl, hub.limits, (where, error) => log.problem(where, error))
    const identities = identitiesOf(bus.bus, config)
    const buckets = new EdgeLimits(bus.asker, hub.limits.rate_limits, randomUUID)
    const basePath = new URL(hub.baseUrl).pathname.replace(/\/+$/, "")
    const pipeline = new Pipeline({
      limits: hub.limits,
      clients: new Clients(config.addressKey, hub.trustProxy),
      buckets,
      verifier: new Verifier(new VerifyKeys(), { hosts: hub.hosts, basePath, v1Until: hub.v1Until }),
      bus: bus.bus,
      bodies: new BodyBudget(hub.limits.service.max_buffered_body_bytes),
      table: new EndpointTable(ENDPOINTS),
      log,
      basePath,
      routes: yield* routesOf(config, bus, buckets, documents, identities),
      pages: pagesOf({ config, documents, limits: buckets, bus: bus.bus, identities }),
      refusedPage: refusedPage(hub)
    })
    return yield* serve(pipeline, { port: hub.port, bind: config.bind, limits: hub.limits })
  })
