export { Sitemap } from "./sitemap.ts"
