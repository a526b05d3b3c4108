export { IntroductionPages as pages } from "./pages.ts"
