import { blobKind } from "./actor.ts"

export const kinds = [blobKind]

export { blobsAt, naming, type BlobsAt } from "./naming.ts"
