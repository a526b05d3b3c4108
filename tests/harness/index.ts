/** What integration tests start, break and wait for. */
export { cutProxy } from "./cut-proxy.ts"
export type { CutProxy } from "./cut-proxy.ts"
export { startServers, testFolder } from "./servers.ts"
export type { ProcessControl, ServerControl, Servers, ServersOptions } from "./servers.ts"
export { waitFor } from "./wait.ts"
export type { WaitOptions } from "./wait.ts"
export { startSystem } from "./system.ts"
export type { EdgeControl, NodeControl, System, SystemOptions } from "./system.ts"
