import { ANIMALS } from "./animals.ts"
import type { Bank } from "./bank.ts"
import { FOODS } from "./foods.ts"
import { MEASURES } from "./measures.ts"
import { OBJECTS } from "./objects.ts"
import { RELATIONS } from "./relations.ts"

export const OUR_BANK: Bank = {
  matrices: [ANIMALS, FOODS, OBJECTS],
  relations: RELATIONS,
  measures: MEASURES,
  questions: [],
  own: new Set(),
  wording: { clauses: new Map(), remarks: new Map(), tellings: new Map() }
}
