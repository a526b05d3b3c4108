export { mailDomainRoutes as routes } from "./routes.ts"
