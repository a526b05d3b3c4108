export { SitemapPages as pages } from "./pages.ts"
export { sitemapQueries as queries } from "./operations.ts"
