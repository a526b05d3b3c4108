/** Each of the languages of highlight.js; see highlight-core.d.ts. */
declare const grammar: (highlight: unknown) => object
export default grammar
