export { sitemapPages as pages } from "./pages.ts"
