export { RegistrationApi as api } from "./api.ts"
export { registrationOperations as operations } from "./operations.ts"
