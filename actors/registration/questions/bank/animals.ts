/** Adult animals with their properties. An item in neither list of a property does not have it. */
import { matrix } from "./bank.ts"

export const ANIMALS = matrix(
  "animal",
  `
    ant, bat, bee, bear, butterfly, camel, cat, cow, crab, crocodile, deer, dog, dolphin, donkey, dragonfly, duck,
    eagle, elephant, fly, fox, frog, giraffe, goat, goldfish, goose, gorilla, grasshopper, hedgehog, hen,
    hippopotamus, horse, kangaroo, lion, lizard, mole, mosquito, moth, mouse, octopus, ostrich, owl, parrot, penguin,
    pig, pigeon, rabbit, rat, raven, rhinoceros, salmon, shark, sheep, snail, snake, sparrow, spider, squirrel, stork,
    swan, tiger, tortoise, trout, tuna, wasp, whale, wolf, zebra
  `,
  {
    fly: {
      is: "can fly by itself|gets off the ground on wings of its own|is able to fly",
      not: "cannot fly|never gets into the air by flying",
      yes: `
        bat, bee, butterfly, dragonfly, duck, eagle, fly, goose, mosquito, moth, owl, parrot, pigeon, raven, sparrow,
        stork, swan, wasp
      `,
      unsure: "ant, grasshopper, hen, squirrel"
    },
    bird: {
      is: "is a bird|has feathers",
      not: "is no bird|has not a single feather",
      yes: "duck, eagle, goose, hen, ostrich, owl, parrot, penguin, pigeon, raven, sparrow, stork, swan"
    },
    insect: {
      is: "is an insect|walks on six legs",
      not: "is no insect|does not walk on six legs",
      yes: "ant, bee, butterfly, dragonfly, fly, grasshopper, mosquito, moth, wasp"
    },
    fish: {
      is: "is a fish|breathes with gills all its life",
      not: "is not a fish",
      yes: "goldfish, salmon, shark, trout, tuna",
      unsure: "crab, octopus"
    },
    mammal: {
      is: "is a mammal|suckles its young|gives milk to its young",
      not: "is no mammal|never suckles its young",
      yes: `
        bat, bear, camel, cat, cow, deer, dog, dolphin, donkey, elephant, fox, giraffe, goat, gorilla, hedgehog,
        hippopotamus, horse, kangaroo, lion, mole, mouse, pig, rabbit, rat, rhinoceros, sheep, squirrel, tiger, whale,
        wolf, zebra
      `
    },
    legless: {
      is: "has no legs at all|gets about without any leg",
      not: "has legs|stands on legs",
      yes: "dolphin, goldfish, salmon, shark, snail, snake, trout, tuna, whale",
      unsure: "octopus"
    },
    fourlegs: {
      is: "walks on four legs|has exactly four legs",
      not: "has not exactly four legs",
      yes: `
        bear, camel, cat, cow, crocodile, deer, dog, donkey, elephant, fox, frog, giraffe, goat, hedgehog,
        hippopotamus, horse, lion, lizard, mole, mouse, pig, rabbit, rat, rhinoceros, sheep, squirrel, tiger,
        tortoise, wolf, zebra
      `,
      unsure: "bat, gorilla, kangaroo"
    },
    horse_size: {
      is: "grows heavier than a grown-up person|outweighs any human being when grown",
      not: "weighs less than a grown-up person",
      yes: `
        camel, cow, dolphin, donkey, elephant, giraffe, gorilla, hippopotamus, horse, lion, rhinoceros, tiger, whale,
        zebra, bear
      `,
      unsure: "crocodile, deer, goat, kangaroo, octopus, ostrich, pig, shark, sheep, snake, tortoise, tuna, wolf, dog"
    },
    hand: {
      is: "is small enough to sit in a matchbox|would fit into a matchbox",
      not: "is much too big for a matchbox",
      yes: "ant, bee, fly, mosquito, wasp",
      unsure: `
        bat, butterfly, crab, dragonfly, frog, goldfish, grasshopper, lizard, mouse, moth, octopus, snail, snake,
        sparrow, spider, mole
      `
    },
    sea: {
      is: "spends its whole life in water|never leaves the water",
      not: "does not live in water all its life",
      yes: "dolphin, goldfish, octopus, salmon, shark, trout, tuna, whale",
      unsure: "crab, frog, snail, snake, tortoise, mosquito, dragonfly"
    },
    horns: {
      is: "grows horns or antlers",
      not: "never grows horns or antlers",
      yes: "cow, deer, goat",
      unsure: "giraffe, rhinoceros, sheep, snail"
    },
    hooves: {
      is: "walks on hooves|has hooves",
      not: "has no hooves",
      yes: "cow, deer, donkey, giraffe, goat, horse, pig, sheep, zebra",
      unsure: "camel, hippopotamus, rhinoceros"
    },
    hatches: {
      is: "hatches from an egg|begins its life in an egg",
      not: "is not born out of an egg",
      yes: `
        ant, bee, butterfly, crab, crocodile, dragonfly, duck, eagle, fly, frog, goldfish, goose, grasshopper, hen,
        mosquito, moth, octopus, ostrich, owl, parrot, penguin, pigeon, raven, salmon, snail, sparrow, spider, stork,
        swan, tortoise, trout, tuna, wasp
      `,
      unsure: "lizard, shark, snake"
    },
    farm: {
      is: "is kept on ordinary farms for its milk or wool",
      not: "is not kept on farms for milk or wool",
      yes: "cow, goat, sheep",
      unsure: "camel, donkey, horse, rabbit, deer, zebra"
    }
  }
)

/** The number of legs of animals for which it is undisputed. */
export const LEGS: Readonly<Record<string, number>> = {
  ant: 6,
  bee: 6,
  butterfly: 6,
  wasp: 6,
  mosquito: 6,
  grasshopper: 6,
  spider: 8,
  duck: 2,
  eagle: 2,
  hen: 2,
  ostrich: 2,
  owl: 2,
  parrot: 2,
  penguin: 2,
  sparrow: 2,
  swan: 2,
  stork: 2,
  cat: 4,
  cow: 4,
  dog: 4,
  donkey: 4,
  elephant: 4,
  fox: 4,
  goat: 4,
  horse: 4,
  lion: 4,
  pig: 4,
  rabbit: 4,
  sheep: 4,
  tiger: 4,
  wolf: 4,
  zebra: 4,
  snake: 0,
  goldfish: 0,
  trout: 0,
  shark: 0,
  salmon: 0,
  whale: 0
}
