import { textKind } from "./text.ts"

export const kinds = [textKind]

export { authorOf } from "./author.ts"
export {
  NO_VOTES,
  VoteEvent,
  ballotOf,
  cast,
  countedOf,
  heldTally,
  isWhole,
  ratedBy,
  recast,
  completeTally,
  scoreOf,
  tallied,
  voteKind,
  voted,
  votedInPart,
  votedWithheld,
  votesHeld,
  type Ballot,
  type Change,
  type Tally,
  type VoteState
} from "./ballot.ts"
export { contentCounts, threadCounts, type ContentCounts } from "./counts.ts"
export { EXCERPT_MAX_CHARS, EXCERPT_READ_CHARS, excerptOf, plainExcerptOf, plainOf } from "./excerpt.ts"
export {
  foldHiding,
  noHiddenRows,
  whyHidden,
  withHidden,
  writeBack,
  writeHidden,
  type HiddenRows
} from "./hidden-rows.ts"
export {
  Hidden,
  decideHideOf,
  hiddenFields,
  isForeign,
  isHidden,
  restoredFields,
  type HiddenBy,
  type HideInput,
  type RestoredBy
} from "./hiding.ts"
export {
  type Filter,
  filtered,
  inOrder,
  type Listing,
  type ListKey,
  Listings,
  ordered,
  type PageOfIds
} from "./listing.ts"
export { newlyNamed, mentionNotifications } from "./mentions.ts"
export { myVote } from "./my-vote.ts"
export {
  BARE,
  MADE,
  searchedTable,
  withExcerpts,
  writeSearched,
  type DerivedColumns as Made,
  type TextTable
} from "./searched-rows.ts"
export { findsIn, isFound, rankIn, textQuery, typed, type TextQuery, type Word } from "./searched.ts"
export { searchesOn } from "./searching.ts"
export { isThere, existsOf, standsOf } from "./standing.ts"
export { isTargetKept, isTargetVisible } from "./targets.ts"
export { claimOf, claimed, duplicate, released, textOf, type TextClaim } from "./text.ts"
export { markingRuns, runsOf } from "./words.ts"
