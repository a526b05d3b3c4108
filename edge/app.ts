/**
 * Puts an edge together. Each part is a service with a layer, which names the parts that it needs and is closed before
 * them.
 */
import { randomUUID } from "node:crypto"
import type { Server } from "node:http"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { VerifyKeys } from "./auth/keys.ts"
import { Unverified } from "./auth/unverified.ts"
import { Verifier } from "./auth/verify.ts"
import { Blobs } from "./bus/blobs.ts"
import { Lists } from "./bus/lists.ts"
import { answerRefused } from "./bus/refused.ts"
import { type EdgeBus, openBus } from "./bus/service.ts"
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
import type { Installation } from "./http/call.ts"
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
import { EVERYTHING, FORMS, PAGE_FORMS, type RouteParts, routesByName, type Served } from "./served.ts"
import { monotonicMs } from "../schemas/runtime/clock.ts"
import { withoutTrailing } from "../schemas/text.ts"
import { type Refusal, refusal, untilOperator } from "../schemas/errors.ts"
import { passwordParameters } from "../schemas/human/password.ts"
import { openTracing } from "../schemas/runtime/trace/open.ts"

class Configuration extends Context.Service<Configuration, EdgeConfig>()("hub/edge/Configuration") {}

class Log extends Context.Service<Log, RequestLog>()("hub/edge/Log") {}

class ServedParts extends Context.Service<ServedParts, Served>()("hub/edge/ServedParts") {}

class Traces extends Context.Service<Traces, RequestTraces>()("hub/edge/Traces") {
  static readonly layer = Layer.effect(
    Traces,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const { hub } = yield* Configuration
      const { tracing } = yield* Effect.acquireRelease(
        Effect.sync(() => openTracing(clock, hub.traces, "hub-edge")),
        (opened) => Effect.promise(opened.stop)
      )
      return new RequestTraces(tracing, hub.trustProxy > 0)
    })
  )
}

class Metrics extends Context.Service<Metrics, EdgeMetrics>()("hub/edge/Metrics") {
  static readonly layer = Layer.effect(
    Metrics,
    Effect.gen(function* () {
      const { hub } = yield* Configuration
      return new EdgeMetrics(yield* Clock.Clock, hub.limits)
    })
  )
}

class Connected extends Context.Service<Connected, EdgeBus>()("hub/edge/Connected") {
  static readonly layer = Layer.effect(
    Connected,
    Effect.gen(function* () {
      const { hub } = yield* Configuration
      return yield* openBus(hub.natsUrl, hub.limits, yield* Metrics)
    })
  )
}

/** One instance of each part serves all requests at this edge. */
class Admission extends Context.Service<
  Admission,
  {
    readonly buckets: EdgeLimits
    readonly bodies: Shares
    readonly clients: Clients
    readonly refusals: Refusals
    readonly installation: Installation
  }
>()("hub/edge/Admission") {
  static readonly layer = Layer.effect(
    Admission,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const { hub, addressKey } = yield* Configuration
      const { asker } = yield* Connected
      const { max_buffered_body_bytes, max_client_body_bytes } = hub.limits.service
      return {
        buckets: new EdgeLimits(clock, asker, hub.limits, randomUUID),
        bodies: new Shares(max_buffered_body_bytes, max_client_body_bytes),
        clients: new Clients(addressKey, hub.trustProxy, hub.probes),
        refusals: new Refusals(clock),
        installation: {
          basePath: withoutTrailing(new URL(hub.baseUrl).pathname, "/"),
          docUrls: docUrlsOf(hub.baseUrl)
        }
      }
    })
  )
}

class NounParts extends Context.Service<NounParts, RouteParts>()("hub/edge/NounParts") {
  static readonly layer = Layer.effect(
    NounParts,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const config = yield* Configuration
      const { nats, bus, link, requests } = yield* Connected
      const { buckets } = yield* Admission
      const { limits, baseUrl } = config.hub
      const blobs = new Blobs(clock, bus, requests, limits)
      const notifications = notificationsOf(clock, nats, bus, limits)
      const markdown = new AgentMarkdown()
      return {
        bus,
        lists: new Lists(bus, limits),
        blobs,
        config,
        limits: buckets,
        link,
        passwords: new PasswordHashing({
          atOnce: limits.service.passwords_at_once,
          waiting: limits.service.passwords_waiting_max,
          parameters: passwordParameters(limits.service)
        }),
        documents: yield* Effect.promise(() => loadDocuments(config)),
        identities: identitiesOf(bus, config),
        notifications,
        captchas: new Captchas({ bus, blobs, notifications }, limits),
        markdown,
        feeds: new Feeds(bus, baseUrl, markdown)
      }
    })
  )
}

const mailDisabled = untilOperator(refusal("email_disabled", "This service has no mail."))

const notBySes: Refusal = { ...mailDisabled, message: "Mail comes to this service by another way." }

class Requests extends Context.Service<Requests, Pipeline>()("hub/edge/Requests") {
  static readonly layer = Layer.effect(
    Requests,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const { hub } = yield* Configuration
      const { bus } = yield* Connected
      const metrics = yield* Metrics
      const admission = yield* Admission
      const parts = yield* NounParts
      const served = yield* ServedParts
      const routes = withMarkdown(routesByName(served, parts), { forms: FORMS, pageForms: PAGE_FORMS }, hub.baseUrl)
      const reused = new Reused(new Marks(clock, bus), metrics, () => monotonicMs(clock))
      const { basePath } = admission.installation
      return new Pipeline({
        ...admission,
        clock,
        limits: hub.limits,
        verifier: new Verifier(new VerifyKeys(), { hosts: hub.hosts, basePath, v1Until: hub.v1Until }),
        unverified: new Unverified(admission.buckets),
        bus,
        table: new EndpointTable(served.endpoints),
        log: yield* Log,
        metrics,
        traces: yield* Traces,
        routes: reused.routes(served.endpoints, routes),
        absence: (needed) =>
          hub.mail === null ? mailDisabled : needed === "ses" && hub.mail.provider !== "ses" ? notBySes : null,
        outside: outsideOf(hub, admission.buckets, parts.identities.judge),
        context: yield* Effect.context<never>()
      })
    })
  )
}

class Listener extends Context.Service<Listener, Server>()("hub/edge/Listener") {
  /**
   * Finalizers run in reverse order. First the edge reports that it is not ready, and gives balancers time to notice
   * (edge/http/leaving.ts). Then held requests end, then the server.
   */
  static readonly layer = Layer.effect(
    Listener,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const config = yield* Configuration
      const { hub } = config
      const { service } = hub.limits
      const bus = yield* Connected
      const { bodies, clients, refusals, installation } = yield* Admission
      const { blobs, notifications } = yield* NounParts
      const pipeline = yield* Requests
      const leaving = new Leaving()
      yield* answerRefused(clock, bus.nats, refusals)
      yield* serveMetrics({ clock, config, metrics: yield* Metrics, bus, bodies, blobs, leaving, notifications })
      const server = yield* serve(pipeline, {
        clock,
        port: hub.port,
        bind: hub.bind,
        limits: hub.limits,
        leaving,
        docUrls: installation.docUrls,
        clients,
        connections: new Shares(service.max_connections_per_edge, service.max_client_connections)
      })
      yield* releaseAtEnd(notifications)
      yield* leaving.first(hub.leaveSeconds)
      return server
    })
  )
}

const edge = Listener.layer.pipe(
  Layer.provide(Requests.layer),
  Layer.provide(NounParts.layer),
  Layer.provide(Admission.layer),
  Layer.provide(Connected.layer),
  Layer.provide(Layer.mergeAll(Metrics.layer, Traces.layer))
)

export const openEdge = (
  config: EdgeConfig,
  log: RequestLog,
  served: Served = EVERYTHING
): Effect.Effect<Server, ConfigurationFault, Scope.Scope> => {
  const given = Layer.mergeAll(
    Layer.succeed(Configuration, config),
    Layer.succeed(Log, log),
    Layer.succeed(ServedParts, served)
  )
  return Effect.map(Layer.build(Layer.provide(edge, given)), (built) => Context.get(built, Listener))
}
