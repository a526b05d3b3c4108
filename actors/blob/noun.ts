import { blobKind } from "./actor.ts"

export const kinds = [blobKind]

export { blobsAt, withBlobReferences as naming, type BlobsAt } from "./naming.ts"
