export { withMarkdown } from "./serve.ts"
export { frontMatter } from "./write.ts"
