/**
 * Starts the work of a process by its roles (HUB_ROLES). The type of each role names the parts that it uses, and is
 * checked here. A webhook worker connects to strangers' servers, so it has neither the service's keys nor the tables. A
 * process that only answers queries has no keys. For people's names, owners' words and mail it asks processes that have
 * them (`people`, `owner_words`, `mail_summaries`).
 */
import { searchesOn } from "../content/noun.ts"
import { openReads } from "../kit/reads.ts"
import { randomUUID } from "node:crypto"
import { Clock, Effect, Layer, type Scope } from "effect"
import type { Ask } from "../../schemas/bus/frames.ts"
import type { ActorRole } from "../../schemas/config.ts"
import { joined, partsOf } from "../../schemas/noun.ts"
import { wallMs } from "../../schemas/runtime/clock.ts"
import type { Answer } from "../../schemas/runtime/bus/asker.ts"
import { SEEDED_CATEGORIES } from "../category/noun.ts"
import { webhookWorker } from "../fanout/noun.ts"
import { AccountKeys } from "../kit/account-keys.ts"
import { actorNode } from "./node.ts"
import * as nouns from "./nouns.ts"
import { mailKeysWith, openedQueries, mailsBy } from "../mail/noun.ts"
import { healthQuery } from "./health.ts"
import { visibleQuery } from "./visible.ts"
import { keeper } from "../vault/noun.ts"
import { type QueryHandlers, serveQueries } from "../queries/serve.ts"
import { actorServices, viewsOver } from "../engine/services.ts"
import { conversationQuery, wordsBy, wordsQuery } from "../owner/noun.ts"
import { peopleBy, peopleQuery } from "../sponsorship/noun.ts"
import { archive, cluster, queried, streams, tables } from "./layers.ts"
import type { ConfigurationFault } from "../../schemas/runtime/configuration-fault.ts"
import {
  Bus,
  Cluster,
  Configuration,
  MailKey,
  Metrics,
  Queried,
  RuntimeKey,
  Streams,
  Tables,
  Tracing,
  VaultKey
} from "../kit/process.ts"
import { Keys } from "./keys.ts"

const SEED_DEADLINE_MS = 15_000
/** Shorter than the time of a query. */
const PEOPLE_DEADLINE_MS = 4000

export type Common = Bus | Configuration | Metrics | Tracing

/** Queries that need keys, answered by processes that have them. */
type ByKeys =
  | "people"
  | "owner_words"
  | "owner_conversation"
  | "mail_list"
  | "mail_threads"
  | "mail_codes"
  | "mail_log"
  | "mail_summaries"

type ByKeeper = "keeper_key" | "keeper_issue" | "keeper_issue_inside" | "keeper_health" | "keeper_rewrap"

type ByHosts = "host_logs" | "host_stats" | "host_new_key"

type ByTables = Omit<QueryHandlers, "health" | "visible" | ByKeys | ByKeeper | ByHosts>

const answering = (
  handlers: Partial<QueryHandlers>
): Effect.Effect<void, never, Bus | Configuration | Queried | Scope.Scope | Tracing> =>
  Effect.gen(function* () {
    const { limits } = yield* Configuration
    const timeoutMs = limits.service.query_timeout_ms
    yield* serveQueries(yield* Clock.Clock, yield* Bus, handlers, yield* Queried, yield* Tracing, { timeoutMs })
  })

const actors = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* actorNode()
    const clock = yield* Clock.Clock
    const { asker, view } = yield* Cluster
    for (const { slug, ...category } of SEEDED_CATEGORIES) {
      const deadline = wallMs(clock) + SEED_DEADLINE_MS
      void asker.ask({
        id: `seed-${slug}`,
        kind: "category",
        actor: slug,
        op: "category.seed",
        input: category,
        deadline
      })
    }
    const [nats, db, manager, config] = [yield* Bus, yield* Tables, yield* Streams, yield* Configuration]
    // Only processes that may read the log know where it ends.
    yield* answering({
      health: healthQuery({ clock, nats, db, manager, view, config }),
      visible: visibleQuery({ clock, db, manager })
    })
    // No table has people's names and owners' words in plain text, so processes with the keys are asked.
    const ask = (one: Ask): Promise<Answer> => asker.ask(one)
    const accounts = new AccountKeys(nats, (yield* Keys).seed)
    const mail = mailKeysWith(nats, (yield* MailKey).key)
    const services = yield* Layer.build(actorServices(clock, nats, ask))
    yield* answering({
      people: peopleQuery(clock, ask, randomUUID),
      owner_words: wordsQuery(clock, ask, randomUUID),
      owner_conversation: conversationQuery(clock, accounts, services, randomUUID),
      ...openedQueries(
        clock,
        { mail, limits: { ...config.limits.service.mail, ...config.limits.limits.email } },
        services,
        randomUUID
      )
    })
  })
)

const queries = Layer.effectDiscard(
  Effect.gen(function* () {
    const [nats, tables, config] = [yield* Bus, yield* Tables, yield* Configuration]
    const clock = yield* Clock.Clock
    const db = yield* Effect.acquireRelease(
      Effect.sync(() => openReads(clock, config.databaseUrl ?? "")),
      (reads) => Effect.ignore(Effect.tryPromise(() => reads.destroy()))
    )
    const views = viewsOver(clock, nats)
    const asking = () => ({ commandId: "", deadline: wallMs(clock) + PEOPLE_DEADLINE_MS })
    const people = peopleBy((ids) => views.query(asking(), "people", { ids }))
    const words = wordsBy((messages) => views.query(asking(), "owner_words", { messages }))
    const mails = mailsBy((ids) => views.query(asking(), "mail_summaries", { mails: ids }))
    const searches = searchesOn(clock, tables)
    // The streams exist only after a restore is complete and the tables are made.
    yield* Streams
    const handlers: ByTables = joined(
      partsOf(nouns, "queries").map((of) => of({ clock, db, tables, people, words, mails, searches, config }))
    )
    yield* answering(handlers)
  })
)

const webhooks: Layer.Layer<never, never, Common | Cluster | Streams> = Layer.effectDiscard(webhookWorker)

/** Large parts of a single role are loaded only by processes with that role. */
const mail = Layer.effectDiscard(
  Effect.flatMap(
    Effect.promise(() => import("../mail/inbound/start.ts")),
    ({ mailServer }) => mailServer
  )
)

const keeping = Layer.effectDiscard(keeper)

const hosting = Layer.effectDiscard(
  Effect.flatMap(
    Effect.promise(() => import("../runtime/start.ts")),
    ({ compartmentHost }) => compartmentHost
  )
)

const inCluster = Layer.provideMerge(cluster, streams)
const inArchive = Layer.provideMerge(archive, Layer.merge(inCluster, tables))

/** The layer of all these roles. Parts that several roles need are made once for the process. */
export const rolesWith = (
  roles: ReadonlyArray<ActorRole>,
  keys: Layer.Layer<Keys>,
  mailKey: Layer.Layer<MailKey>,
  vaultKey: Layer.Layer<VaultKey>,
  runtimeKey: Layer.Layer<RuntimeKey>
): Layer.Layer<never, ConfigurationFault, Common> => {
  const all = {
    actors: Layer.provide(actors, [keys, mailKey, inArchive, queried]),
    queries: Layer.provide(queries, [streams, tables, queried]),
    webhooks: Layer.provide(webhooks, inCluster),
    mail: Layer.provide(mail, [mailKey, inCluster]),
    keeper: Layer.provide(keeping, [vaultKey, inCluster, queried]),
    runtime: Layer.provide(hosting, [runtimeKey, inCluster, queried])
  } as const
  return Layer.mergeAll(Layer.empty, ...roles.map((role) => all[role]))
}
