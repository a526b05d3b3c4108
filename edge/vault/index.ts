export { admittedHolder, holding, isBearer, readHolder } from "./token.ts"
