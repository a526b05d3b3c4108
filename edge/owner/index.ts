export { ownerPages as pages } from "./pages.ts"
export { ownerRoutes as routes } from "./routes.ts"
