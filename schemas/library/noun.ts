export { LibraryApi as api, LibraryPages as pages } from "./api.ts"
export { libraryOperations as operations, libraryQueries as queries } from "./operations.ts"
