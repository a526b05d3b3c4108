import { blobKind } from "./actor.ts"

export const kinds = [blobKind]
