export { HomeApi as api } from "./api.ts"
export { homeOperations as operations, homeQueries as queries } from "./operations.ts"
