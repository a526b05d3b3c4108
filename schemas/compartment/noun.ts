export { CompartmentApi as api } from "./api.ts"
export { CompartmentPages as pages } from "./pages.ts"
export { operations, queries } from "./operations.ts"
