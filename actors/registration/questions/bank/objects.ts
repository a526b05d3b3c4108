/** Ordinary objects that people make, with their properties. */
import { matrix } from "./bank.ts"

export const OBJECTS = matrix(
  "object",
  `
    accordion, anvil, armchair, axe, bathtub, bed, bicycle, boot, bucket, bus, canoe, car, carpet, chair, chisel,
    coat, cup, desk, drill, drum, envelope, ferry, flute, fork, fridge, glove, guitar, hammer, harp, hat, helicopter,
    horseshoe, jacket, jug, kettle, key, ladder, laptop, lorry, magazine, mitten, motorbike, mug, nail, newspaper,
    notebook, pan, pencil, piano, pillow, pincers, plate, poster, postcard, rowing boat, sandal, sandpaper, saucepan,
    saw, scarf, scissors, screw, screwdriver, shirt, shoe, skirt, sock, sofa, spoon, stool, submarine, sweater, table,
    tambourine, teapot, telephone, television, tractor, train, tram, trousers, trumpet, tuba, vase, violin, wardrobe,
    washing machine, yacht, aeroplane, balaclava
  `,
  {
    worn: {
      is: "is worn on the body|is clothing or footwear",
      not: "is not for wearing",
      yes: `
        balaclava, boot, coat, glove, hat, jacket, mitten, sandal, scarf, shirt, shoe, skirt, sock, sweater, trousers
      `,
      unsure: "key"
    },
    feet: {
      is: "belongs on the feet|is pulled over the toes",
      not: "has no business on anybody's feet",
      yes: "boot, sandal, shoe, sock",
      unsure: "trousers, carpet, horseshoe, stool"
    },
    head: {
      is: "is meant for the head|is put on the head",
      not: "is not put on the head",
      yes: "balaclava, hat",
      unsure: "scarf, pillow"
    },
    music: {
      is: "is a musical instrument",
      not: "is no musical instrument",
      yes: "accordion, drum, flute, guitar, harp, piano, tambourine, trumpet, tuba, violin",
      unsure: "saw, spoon, laptop, telephone, television"
    },
    strings: {
      is: "has strings to pluck or bow|sounds by its plucked or bowed strings",
      not: "has no strings to pluck or bow",
      yes: "guitar, harp, violin",
      unsure: "piano"
    },
    blown: {
      is: "sounds when a player blows into it",
      not: "makes no music when blown into",
      yes: "flute, trumpet, tuba",
      unsure: "jug, accordion, envelope"
    },
    wheels: {
      is: "rolls along on wheels of its own|runs on wheels",
      not: "has no wheels",
      yes: "bicycle, bus, car, lorry, motorbike, tractor, train, tram, aeroplane",
      unsure: "armchair, bed, chair, desk, fridge, helicopter, piano, stool, washing machine"
    },
    rails: { is: "runs on rails", not: "needs no rails", yes: "train, tram", unsure: "ladder" },
    afloat: {
      is: "travels on the sea or beneath it",
      not: "does not travel on or under water",
      yes: "canoe, ferry, rowing boat, submarine, yacht",
      unsure: "bathtub"
    },
    air: {
      is: "carries passengers through the air",
      not: "does not carry anybody through the air",
      yes: "aeroplane, helicopter"
    },
    two_wheels: {
      is: "has exactly two wheels and is ridden astride",
      not: "is not ridden on two wheels",
      yes: "bicycle, motorbike"
    },
    paper: {
      is: "is made of paper|is chiefly paper",
      not: "is not made of paper",
      yes: "envelope, magazine, newspaper, notebook, postcard, poster",
      unsure: "sandpaper"
    },
    furniture: {
      is: "is a piece of furniture|is carried by furniture removers as furniture",
      not: "is no furniture",
      yes: "armchair, bed, chair, desk, sofa, stool, table, wardrobe",
      unsure: "carpet, fridge, piano, pillow, bathtub, television, ladder, washing machine, laptop, vase"
    },
    seat: {
      is: "is furniture made for sitting on",
      not: "is not furniture for sitting on",
      yes: "armchair, chair, sofa, stool",
      unsure: "bed, pillow, bathtub, desk, table, carpet"
    },
    tool: {
      is: "lies in a carpenter's toolbox|is a carpenter's tool",
      not: "is no tool of a carpenter's",
      yes: "chisel, drill, hammer, pincers, sandpaper, saw, screwdriver",
      unsure: "axe, anvil, bucket, key, ladder, nail, pencil, scissors, screw, glove, notebook, horseshoe"
    },
    plug: {
      is: "needs electricity to do its work",
      not: "works without any electricity",
      yes: "fridge, laptop, television, washing machine, tram",
      unsure: `
        car, bus, bicycle, drill, guitar, kettle, lorry, piano, motorbike, telephone, train, aeroplane, helicopter,
        submarine, tractor, ferry, yacht, screwdriver, saw, bed, armchair
      `
    },
    holds: {
      is: "is made to hold a drink or to pour one",
      not: "is not made for drinks",
      yes: "cup, jug, kettle, mug, teapot",
      unsure: "bucket, bathtub, fridge, pan, saucepan, vase"
    }
  }
)
