import type { Family } from "../family.ts";
import { list, only, withArticles } from "../prose.ts";
import type { Random } from "../random.ts";
import { MEN, OBJECTS, PLACES, WOMEN } from "../vocabulary.ts";

export interface Meeting {
  readonly place: string;
  readonly woman: string;
  readonly man: string;
  /** Which of the two had the thing when they met. */
  readonly holder: "woman" | "man";
  /** Whether it changed hands. */
  readonly given: boolean;
  readonly womanFirst: boolean;
}

export interface PronounsFacts {
  readonly object: string;
  readonly women: ReadonlyArray<string>;
  readonly men: ReadonlyArray<string>;
  readonly start: string;
  readonly meetings: ReadonlyArray<Meeting>;
  /** Index of the meeting after which the holder is wanted. */
  readonly asked: number;
}

const OF_EACH = 3;
const MEETINGS = 5;

/** Each meeting is between a woman and a man, so "he" and "she" always point to one person. */
function build(random: Random): PronounsFacts {
  const women = random.sample(WOMEN, OF_EACH);
  const men = random.sample(MEN, OF_EACH);
  const start = random.pick([...women, ...men]);
  let held = start;
  const meetings = random.sample(PLACES, MEETINGS).map((place): Meeting => {
    const female = women.includes(held);
    const other = random.pick(female ? men : women);
    const given = random.int(1, 3) > 1;
    const meeting: Meeting = {
      place,
      woman: female ? held : other,
      man: female ? other : held,
      holder: female ? "woman" : "man",
      given,
      womanFirst: random.int(0, 1) === 0,
    };
    if (given) held = other;
    return meeting;
  });
  return { object: random.pick(OBJECTS), women, men, start, meetings, asked: random.int(2, MEETINGS - 1) };
}

function answer({ meetings, asked }: PronounsFacts): string {
  const { woman, man, holder, given } = meetings[asked] as Meeting;
  return (holder === "woman") === given ? man : woman;
}

/** Pronouns of the one who has the thing and of the other one. */
interface Cast {
  readonly x: string;
  readonly y: string;
  readonly has: string;
  readonly him: string;
  readonly other: string;
  readonly otherObject: string;
  readonly place: string;
}

interface Scene {
  readonly open: (start: string, object: string, women: string, men: string) => string;
  readonly given: (cast: Cast) => string;
  readonly kept: (cast: Cast) => string;
  readonly ask: (place: string, object: string) => string;
  readonly askFirst: boolean;
}

const SCENES: ReadonlyArray<Scene> = [
  {
    open: (start, object, women, men) => `${women} are women, ${men} are men. In the morning ${start} had the ${object}.`,
    given: ({ x, y, has, otherObject, place }) => `At the ${place} ${x} met ${y}, and ${has} gave it to ${otherObject}.`,
    kept: ({ x, y, has, other, otherObject, place }) => `At the ${place} ${x} met ${y}; ${has} offered it to ${otherObject}, but ${other} did not want it.`,
    ask: (place, object) => `Who had the ${object} right after the meeting at the ${place}?`,
    askFirst: false,
  },
  {
    open: (start, object, women, men) => `The story begins with the ${object} in ${start}'s hands. (Ladies: ${women}. Gentlemen: ${men}.)`,
    given: ({ x, y, other, him, place }) => `Then ${x} ran into ${y} near the ${place}, where ${other} bought it from ${him}.`,
    kept: ({ x, y, other, him, has, place }) => `Then ${x} ran into ${y} near the ${place}, where ${other} tried to buy it from ${him}, though ${has} would not sell.`,
    ask: (place, object) => `Who owned the ${object} when the two who ran into each other near the ${place} parted again?`,
    askFirst: true,
  },
  {
    open: (start, object, women, men) => `${men} are brothers and ${women} are sisters of another family. A loan starts with ${start}, to whom the ${object} was lent first.`,
    given: ({ x, y, has, otherObject, place }) => `Next: ${x} and ${y}, by the ${place}. As ${has} no longer needed the thing, ${has} lent it on to ${otherObject}.`,
    kept: ({ x, y, has, other, place }) => `Next: ${x} and ${y}, by the ${place}. Since ${has} still needed the thing, ${other} had to go away without it.`,
    ask: (place, object) => `With whom was the ${object} as soon as the business by the ${place} was over?`,
    askFirst: false,
  },
  {
    open: (start, object, women, men) => `Relay with a ${object}: ${start} carries it first. The runners are the girls ${women} and the boys ${men}.`,
    given: ({ x, y, other, him, place }) => `Passing the ${place}, ${x} and ${y} come together and ${other} takes over from ${him}.`,
    kept: ({ x, y, other, him, place }) => `Passing the ${place}, ${x} and ${y} come together; ${other} is too tired to take over from ${him}.`,
    ask: (place, object) => `Name the carrier of the ${object} on the stretch that follows the ${place}.`,
    askFirst: false,
  },
  {
    open: (start, object, women, men) => `The actresses ${women} and the actors ${men} rehearse. As the curtain rises, ${start} holds the ${object}.`,
    given: ({ x, y, other, him, place }) => `In the ${place} scene, with ${x} and ${y}, ${other} snatches it from ${him}.`,
    kept: ({ x, y, other, him, place }) => `In the ${place} scene, with ${x} and ${y}, ${other} tries to snatch it from ${him} and fails.`,
    ask: (place, object) => `In whose hands is the ${object} at the end of the ${place} scene? The scenes are played in the order told.`,
    askFirst: true,
  },
  {
    open: (start, object, women, men) => `Of the spies, ${men} are male and ${women} female. Headquarters handed the ${object} to ${start}.`,
    given: ({ x, y, has, otherObject, place }) => `Later ${x} sat beside ${y} at the ${place} until ${has} slipped it into the bag ${otherObject === "her" ? "she" : "he"} had brought.`,
    kept: ({ x, y, has, other, place }) => `Later ${x} sat beside ${y} at the ${place}, but ${has} did not trust the place and kept it, so ${other} left with an empty bag.`,
    ask: (place, object) => `Who had the ${object} when leaving the ${place}?`,
    askFirst: false,
  },
  {
    open: (start, object, women, men) => `A ${object} went round at a party of three women (${women}) and three men (${men}); it was ${start} who had brought it along.`,
    given: ({ x, y, other, him, place }) => `During a game called "${place}", ${x} played against ${y}, and ${other} won it from ${him}.`,
    kept: ({ x, y, other, him, place }) => `During a game called "${place}", ${x} played against ${y}, and ${other} could not win it from ${him}.`,
    ask: (place, object) => `Following the games in the order they are told, say who possessed the ${object} once the game "${place}" was finished.`,
    askFirst: false,
  },
  {
    open: (start, object, women, men) => `Listen closely. ${women} are the daughters of a duke, ${men} are the sons of a miller, and ${start} found a ${object} in the wood.`,
    given: ({ x, y, has, otherObject, place }) => `Afterwards, when ${x} came to the ${place} and saw ${y}, ${has} felt generous and made ${otherObject} a present of it.`,
    kept: ({ x, y, has, other, place }) => `Afterwards, when ${x} came to the ${place} and saw ${y}, ${other} begged for it in vain: ${has} put it away.`,
    ask: (place, object) => `Whose was the ${object} after what happened at the ${place}?`,
    askFirst: true,
  },
];

function cast({ place, woman, man, holder, womanFirst }: Meeting): Cast {
  const female = { subject: "she", object: "her" };
  const male = { subject: "he", object: "him" };
  const [has, other] = holder === "woman" ? [female, male] : [male, female];
  return {
    x: womanFirst ? woman : man,
    y: womanFirst ? man : woman,
    has: has.subject,
    him: has.object,
    other: other.subject,
    otherObject: other.object,
    place,
  };
}

export const pronouns: Family<PronounsFacts> = {
  name: "pronouns",
  reasoning: true,
  kind: "word",
  format: null,
  build,
  answer,
  candidates: ({ women, men }) => [...women, ...men],
  phrasings: SCENES.map((scene) => ({ object, women, men, start, meetings, asked }: PronounsFacts, random: Random) => {
    const story = meetings.map((meeting) => (meeting.given ? scene.given : scene.kept)(cast(meeting)));
    const told = [withArticles(scene.open(start, object, list(women), list(men))), ...story].join(" ");
    const question = `${scene.ask(meetings[asked]?.place ?? "", object)} ${only.name(random)}`;
    return scene.askFirst ? `${question} ${told}` : `${told} ${question}`;
  }),
};
