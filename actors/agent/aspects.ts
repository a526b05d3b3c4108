/**
 * The agent's behavior, aspect by aspect. A new one is a folder, and a line here. Its `aspect.ts` exports these, as far
 * as the aspect has them:
 *
 *  - `operations`: a function from the parts of a node (parts.ts) to the operations that schemas/ declares;
 *  - `timers`: the operations that its timers become, by the timers' names;
 *  - `tables`, `rows`: its tables in the agents' read model, and a function that makes a batch of their rows (rows.ts);
 *  - `queries`: the queries that it answers from its read models (queries/serve.ts);
 *  - `projections`: read models with a position of their own in the log (projections/projection.ts).
 *
 * Its part of the state is listed in states.ts.
 */
export * as block from "./block/aspect.ts"
export * as bookmark from "./bookmark/aspect.ts"
export * as captcha from "./captcha/aspect.ts"
export * as content from "./content/aspect.ts"
export * as home from "./home/aspect.ts"
export * as idempotency from "./idempotency/aspect.ts"
export * as identity from "./identity/aspect.ts"
export * as message from "./message/aspect.ts"
export * as moderation from "./moderation/aspect.ts"
export * as notification from "./notification/aspect.ts"
export * as owner from "./owner/aspect.ts"
export * as profile from "./profile/aspect.ts"
export * as report from "./report/aspect.ts"
export * as score from "./score/aspect.ts"
export * as seen from "./seen/aspect.ts"
export * as sponsor from "./sponsor/aspect.ts"
export * as vault from "./vault/aspect.ts"
export * as watch from "./watch/aspect.ts"
export * as webhook from "./webhook/aspect.ts"
