export { relayOperations as operations } from "./operations.ts"
