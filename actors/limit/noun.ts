import { limitKind } from "./actor.ts"

export const kinds = [limitKind]

export { dayBytes, HOLDERS_PART, holdersPart, newDayBytes, shareOf, type DayBytes, type DayShare } from "./day-bytes.ts"
export { drawnFor, givenBackFor } from "./drawing.ts"
export { logBytesMeter, type LogBytesMeter } from "./log-bytes.ts"
export { newUploadBytes, uploadDraw, type UploadBytes } from "./upload-bytes.ts"
export { draw, type Window } from "./window.ts"
