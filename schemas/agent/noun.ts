import { agentOperations, handleOperations, numberOperations } from "./operations.ts"

export { AgentApi as api } from "./api.ts"
export { AgentPages as pages } from "./pages.ts"
export { agentQueries as queries } from "./operations.ts"

export const operations = { ...agentOperations, ...handleOperations, ...numberOperations }
