/** Food and drinks with their properties. */
import { matrix } from "./bank.ts"

export const FOODS = matrix(
  "food",
  `
    apple, apricot, bacon, banana, beef, beer, blackberry, bread, broccoli, butter, cabbage, carrot, cauliflower,
    celery, cheese, cherry, chocolate, coffee, cream, cucumber, egg, garlic, grape, ham, honey, ice cream, jam, lemon,
    lemonade, lettuce, lime, milk, mustard, noodles, onion, orange, pancake, peach, pear, pepper, pineapple, plum,
    popcorn, pork, potato, radish, raspberry, rice, salmon fillet, salt, sausage, spinach, strawberry, sugar, tea,
    turnip, vinegar, water, wine, yoghurt
  `,
  {
    fruit: {
      is: "is a fruit|belongs in a fruit salad",
      not: "is not a fruit",
      yes: `
        apple, apricot, banana, blackberry, cherry, grape, lemon, lime, orange, peach, pear, pineapple, plum,
        raspberry, strawberry
      `,
      unsure: "cucumber, pepper, jam"
    },
    tree: {
      is: "is picked from trees|grows on trees",
      not: "does not grow on trees",
      yes: "apple, apricot, cherry, lemon, lime, orange, peach, pear, plum",
      unsure: "banana, chocolate, coffee, grape, pepper, tea, lemonade, jam"
    },
    ground: {
      is: "is dug out of the soil by the gardener|grows under the ground",
      not: "does not grow under the ground",
      yes: "carrot, garlic, onion, potato, radish, turnip",
      unsure: "celery, salt, sugar"
    },
    animal: {
      is: "comes from an animal|is nothing for a vegan",
      not: "does not come from any animal",
      yes: `
        bacon, beef, butter, cheese, cream, egg, ham, honey, ice cream, milk, pork, salmon fillet, sausage, yoghurt
      `,
      unsure: "bread, chocolate, noodles, pancake, popcorn, wine, beer, sugar"
    },
    meat: {
      is: "is meat|comes from a butcher's counter",
      not: "is not meat",
      yes: "bacon, beef, ham, pork, sausage",
      unsure: "salmon fillet, egg"
    },
    milk: {
      is: "is made from milk, or is milk|is a dairy product",
      not: "has nothing to do with milk",
      yes: "butter, cheese, cream, ice cream, milk, yoghurt",
      unsure: "bread, chocolate, pancake, popcorn, sausage, noodles, mustard, jam, coffee, tea, ham"
    },
    drink: {
      is: "is drunk out of a glass or a cup|is a drink",
      not: "is not a drink",
      yes: "beer, coffee, lemonade, milk, tea, water, wine",
      unsure: "cream, vinegar, yoghurt, chocolate, honey"
    },
    alcohol: {
      is: "may make one drunk|has alcohol in it",
      not: "holds no alcohol",
      yes: "beer, wine",
      unsure: "vinegar, chocolate, mustard, ice cream, yoghurt"
    },
    peel: {
      is: "is peeled of a thick skin before eating",
      not: "has no thick peel",
      yes: "banana, orange, pineapple",
      unsure: `
        apple, carrot, cucumber, egg, garlic, lemon, lime, onion, peach, pear, potato, apricot, turnip, broccoli,
        cheese, sausage, lemonade, salmon fillet, jam, plum, radish, celery, mustard, grape
      `
    },
    stone: {
      is: "has a single hard stone in the middle",
      not: "has no single hard stone inside",
      yes: "apricot, cherry, peach, plum",
      unsure: "jam"
    }
  }
)
