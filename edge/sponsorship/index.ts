export { sponsorshipRoutes as routes } from "./routes.ts"
export { Sponsoring } from "./sponsoring.ts"
