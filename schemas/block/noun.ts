export { BlockApi as api } from "./api.ts"
export { blockOperations as operations, blockQueries as queries } from "./operations.ts"
