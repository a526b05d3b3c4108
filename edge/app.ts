/** Puts an edge together. It lives in a scope: closing the scope stops its parts in reverse order. */
import { randomUUID } from "node:crypto"
import type { Server } from "node:http"
import { Clock, Effect, type Scope } from "effect"
import { VerifyKeys } from "./auth/keys.ts"
import { Unverified } from "./auth/unverified.ts"
import { Verifier } from "./auth/verify.ts"
import { Blobs } from "./bus/blobs.ts"
import { Lists } from "./bus/lists.ts"
import { answerRefused } from "./bus/refused.ts"
import { openBus } from "./bus/service.ts"
import type { ConfigurationFault } from "../schemas/runtime/configuration-fault.ts"
import type { EdgeConfig } from "./http/config.ts"
import { loadDocuments } from "./docs/index.ts"
import { Feeds } from "./feed/index.ts"
import { AgentMarkdown } from "./kit/agent-markdown.ts"
import { outsideOf, Pipeline, serve, Marks, Reused } from "./pipeline/index.ts"
import { withMarkdown } from "./markdown/serve.ts"
import { PasswordHashing } from "./human/index.ts"
import { Captchas } from "./captcha/index.ts"
import { Clients } from "./http/address.ts"
import { docUrlsOf } from "./http/doc-urls.ts"
import { EndpointTable } from "./http/endpoints.ts"
import { EdgeLimits } from "./http/limits.ts"
import type { RequestLog } from "./http/log.ts"
import { Leaving } from "./http/leaving.ts"
import { Shares } from "./http/shares.ts"
import { EdgeMetrics } from "./http/metrics.ts"
import { serveMetrics } from "./metrics/index.ts"
import { Refusals } from "./http/refusals.ts"
import { RequestTraces } from "./http/trace.ts"
import { identitiesOf } from "./identity/index.ts"
import { notificationsOf, releaseAtEnd } from "./notification/index.ts"
import { EVERYTHING, FORMS, PAGE_FORMS, routesByName, type Served } from "./served.ts"
import { monotonicMs } from "../schemas/runtime/clock.ts"
import { withoutTrailing } from "../schemas/text.ts"
import { type Refusal, refusal, untilOperator } from "../schemas/errors.ts"
import { passwordParameters } from "../schemas/human/password.ts"
import { openTracing } from "../schemas/runtime/trace/open.ts"

const mailDisabled = untilOperator(refusal("email_disabled", "This service has no mail."))

const notBySes: Refusal = { ...mailDisabled, message: "Mail comes to this service by another way." }

export const openEdge = (
  config: EdgeConfig,
  log: RequestLog,
  served: Served = EVERYTHING
): Effect.Effect<Server, ConfigurationFault, Scope.Scope> =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const { hub } = config
    const { tracing } = yield* Effect.acquireRelease(
      Effect.sync(() => openTracing(clock, hub.traces, "hub-edge")),
      (opened) => Effect.promise(opened.stop)
    )
    const refusals = new Refusals(clock)
    const documents = yield* Effect.promise(() => loadDocuments(config))
    const metrics = new EdgeMetrics(clock, hub.limits)
    const leaving = new Leaving()
    const bus = yield* openBus(hub.natsUrl, hub.limits, metrics)
    const identities = identitiesOf(bus.bus, config)
    const lists = new Lists(bus.bus, hub.limits)
    const blobs = new Blobs(clock, bus.bus, bus.requests, hub.limits)
    const notifications = notificationsOf(clock, bus.nats, bus.bus, hub.limits)
    const buckets = new EdgeLimits(clock, bus.asker, hub.limits, randomUUID)
    const { service } = hub.limits
    const bodies = new Shares(service.max_buffered_body_bytes, service.max_client_body_bytes)
    const markdown = new AgentMarkdown()
    const basePath = withoutTrailing(new URL(hub.baseUrl).pathname, "/")
    const docUrls = docUrlsOf(hub.baseUrl)
    const clients = new Clients(config.addressKey, hub.trustProxy, hub.probes)
    const routes = routesByName(served, {
      bus: bus.bus,
      lists,
      blobs,
      config,
      limits: buckets,
      link: bus.link,
      passwords: new PasswordHashing({
        atOnce: service.passwords_at_once,
        waiting: service.passwords_waiting_max,
        parameters: passwordParameters(service)
      }),
      documents,
      identities,
      notifications,
      captchas: new Captchas({ bus: bus.bus, blobs, notifications }, hub.limits),
      markdown,
      feeds: new Feeds(bus.bus, hub.baseUrl, markdown)
    })
    const pipeline = new Pipeline({
      clock,
      limits: hub.limits,
      clients,
      buckets,
      verifier: new Verifier(new VerifyKeys(), { hosts: hub.hosts, basePath, v1Until: hub.v1Until }),
      unverified: new Unverified(buckets),
      bus: bus.bus,
      bodies,
      table: new EndpointTable(served.endpoints),
      log,
      metrics,
      refusals,
      traces: new RequestTraces(tracing, hub.trustProxy > 0),
      installation: { basePath, docUrls },
      routes: new Reused(new Marks(clock, bus.bus), metrics, () => monotonicMs(clock)).routes(
        served.endpoints,
        withMarkdown(routes, { forms: FORMS, pageForms: PAGE_FORMS }, hub.baseUrl)
      ),
      absence: (needed) =>
        hub.mail === null ? mailDisabled : needed === "ses" && hub.mail.provider !== "ses" ? notBySes : null,
      outside: outsideOf(hub, buckets, identities.judge),
      context: yield* Effect.context<never>()
    })
    yield* answerRefused(clock, bus.nats, refusals)
    yield* serveMetrics({ clock, config, metrics, bus, bodies, blobs, leaving, notifications })
    const connections = new Shares(service.max_connections_per_edge, service.max_client_connections)
    const server = yield* serve(pipeline, {
      clock,
      port: hub.port,
      bind: hub.bind,
      limits: hub.limits,
      leaving,
      docUrls,
      clients,
      connections
    })
    yield* releaseAtEnd(notifications)
    yield* leaving.first(hub.leaveSeconds)
    return server
  })
