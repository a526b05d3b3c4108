/**
 * Lists the modules of the agent's state, one for each aspect that has a part of it (part.ts). To add one, make a
 * folder and add a line here.
 */
export * as block from "./block/state.ts"
export * as bookmark from "./bookmark/state.ts"
export * as captcha from "./captcha/state.ts"
export * as content from "./content/state.ts"
export * as home from "./home/state.ts"
export * as identity from "./identity/state.ts"
export * as message from "./message/state.ts"
export * as moderation from "./moderation/state.ts"
export * as notification from "./notification/state.ts"
export * as owner from "./owner/state.ts"
export * as profile from "./profile/state.ts"
export * as report from "./report/state.ts"
export * as score from "./score/state.ts"
export * as sponsor from "./sponsor/state.ts"
export * as watch from "./watch/state.ts"
export * as webhook from "./webhook/state.ts"
