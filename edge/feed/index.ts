export { Feeds } from "./feeds.ts"
export { feedRoutes as routes, feedPages as pages } from "./routes.ts"
export { xml } from "./xml.ts"
