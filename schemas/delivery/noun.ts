export { deliveryOperations as operations } from "./operations.ts"
