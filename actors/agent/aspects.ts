/**
 * Lists the modules that implement the agent's behavior, one for each aspect. To add an aspect, make a folder and add a
 * line here. An `aspect.ts` exports those of the following that the aspect needs:
 *
 *  - `operations`: a function from the parts of a node (parts.ts) to the operations that schemas/ declares;
 *  - `timers`: a record from the name of each timer to the operation that runs when the timer fires;
 *  - `tables`, `rows`: its tables in the agents' read model, and a function that makes a batch of their rows (rows.ts);
 *  - `queries`: the queries that it answers from its read models (queries/serve.ts);
 *  - `projections`: read models with their own position in the log (projections/projection.ts).
 *
 * states.ts lists the aspects that have a part of the agent's state.
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
