/** Pairs of a text that introduces a person and a description by which the story refers to that person later. */
import { relation } from "./bank.ts"

export const RELATIONS = [
  relation(
    "sound",
    "drew a {}|made a drawing of a {}",
    "who drew an animal that {}|whose drawing shows an animal that {}",
    `
      dog=barks; cat=meows; cow=moos; sheep=bleats; horse=neighs; duck=quacks; lion=roars; frog=croaks; pig=grunts;
      wolf=howls; bee=buzzes; donkey=brays; owl=hoots; snake=hisses; turkey=gobbles; rooster=crows at dawn;
      pigeon=coos; cuckoo=is named after its call
    `
  ),
  relation(
    "young",
    "photographed a {}|took a photo of a {}",
    "who photographed the young of {}|whose photo shows the child of {}",
    `
      puppy=a dog; kitten=a cat; lamb=a sheep; foal=a horse; calf=a cow; chick=a hen; duckling=a duck; piglet=a pig;
      tadpole=a frog; caterpillar=a butterfly; gosling=a goose; fawn=a deer; joey=a kangaroo; owlet=an owl;
      cygnet=a swan; eaglet=an eagle
    `
  ),
  relation(
    "home",
    "painted a {}|made a painting of a {}",
    "who painted the home of {}|whose painting shows where {} live",
    `
      hive=bees; nest=birds; kennel=dogs; cobweb=spiders; sty=pigs; anthill=ants; aquarium=fish; molehill=moles;
      stable=horses; dovecote=pigeons; henhouse=hens
    `
  ),
  relation(
    "capital",
    "was born in {}|first saw the light in {}",
    "who was born in {}|born in {}",
    `
      Lisbon=Portugal; Oslo=Norway; Prague=the Czech Republic; Cairo=Egypt; Lima=Peru; Hanoi=Vietnam; Dublin=Ireland;
      Athens=Greece; Zagreb=Croatia; Nairobi=Kenya; Seoul=South Korea; Vienna=Austria; Tunis=Tunisia; Warsaw=Poland;
      Havana=Cuba; Riga=Latvia; Madrid=Spain; Ankara=Turkey; Paris=France; Rome=Italy; Berlin=Germany; Tokyo=Japan;
      Beijing=China; Moscow=Russia; Ottawa=Canada; Canberra=Australia; Wellington=New Zealand; Bangkok=Thailand;
      Helsinki=Finland; Stockholm=Sweden; Copenhagen=Denmark; Budapest=Hungary; Bucharest=Romania; Sofia=Bulgaria;
      Reykjavik=Iceland; Tehran=Iran; Baghdad=Iraq; Brussels=Belgium; Bogotá=Colombia; Caracas=Venezuela;
      Buenos Aires=Argentina; Montevideo=Uruguay; London=the United Kingdom; Kathmandu=Nepal; Tallinn=Estonia;
      Vilnius=Lithuania; Manila=the Philippines
    `
  ),
  relation(
    "continent",
    "grew up in {}|went to school in {}",
    "who grew up in {}|whose childhood was spent in {}",
    `
      Kenya=Africa; Nigeria=Africa; Ghana=Africa; Zambia=Africa; Angola=Africa; Ethiopia=Africa; Morocco=Africa;
      Uganda=Africa; Brazil=South America; Peru=South America; Bolivia=South America; Paraguay=South America;
      Argentina=South America; Ecuador=South America; Poland=Europe; Belgium=Europe; Portugal=Europe; Austria=Europe;
      Norway=Europe; Hungary=Europe; Ireland=Europe; Sweden=Europe; Vietnam=Asia; Thailand=Asia; Japan=Asia;
      Mongolia=Asia; Nepal=Asia; India=Asia; Laos=Asia; Cambodia=Asia
    `
  ),
  relation(
    "landmark",
    "sent a postcard of {}|has a postcard of {}",
    "whose postcard shows a sight in {}|whose postcard shows something one visits in {}",
    `
      the Eiffel Tower=France; the Colosseum=Italy; the Pyramids of Giza=Egypt; the Taj Mahal=India;
      the Great Wall=China; the Acropolis=Greece; Machu Picchu=Peru; the Statue of Liberty=the United States;
      Big Ben=England; the Brandenburg Gate=Germany; Mount Fuji=Japan; Angkor Wat=Cambodia; the Kremlin=Russia;
      the Sydney Opera House=Australia; the Sagrada Família=Spain; Christ the Redeemer=Brazil; Chichén Itzá=Mexico
    `
  ),
  relation(
    "trade",
    "is a {}|works as a {}",
    "who {} for a living|whose trade it is that one {}",
    `
      baker=bakes bread; cobbler=mends shoes; tailor=sews suits; barber=cuts hair; dentist=fills teeth;
      butcher=sells meat; gardener=looks after flower beds; pilot=flies planes; fisherman=hauls in nets;
      shepherd=minds sheep; beekeeper=tends hives; librarian=lends books; plumber=repairs pipes;
      carpenter=works with wood; blacksmith=forges iron; watchmaker=repairs clocks; postman=delivers letters;
      judge=passes sentences; nurse=cares for the sick; teacher=gives lessons; florist=sells bouquets;
      miner=digs for coal; tiler=lays tiles; cook=prepares meals; pharmacist=hands out medicine;
      optician=sells glasses; locksmith=opens locked doors; potter=shapes clay; vet=treats animals;
      painter=paints walls; astronomer=watches the stars; lifeguard=saves swimmers;
      tightrope walker=balances on a rope; chimney sweep=cleans chimneys; bricklayer=builds walls;
      taxi driver=drives strangers about; jockey=rides races; conductor=leads orchestras;
      undertaker=arranges funerals; ferryman=takes people across a river
    `
  ),
  relation(
    "tool",
    "brought a {}|carries a {}",
    "who brought the thing for {}|who came with what one needs for {}",
    `
      needle=sewing; saw=cutting planks; comb=tidying hair; broom=sweeping floors; thermometer=taking a temperature;
      corkscrew=opening wine; compass=finding north; telescope=looking at stars; toothbrush=cleaning teeth;
      umbrella=keeping off rain; torch=seeing in the dark; fishing rod=catching fish; stethoscope=listening to hearts;
      calculator=doing sums; camera=taking pictures; hammer=driving in nails; rolling pin=flattening dough;
      razor=shaving; eraser=rubbing out pencil; alarm clock=waking up in time; parachute=jumping out of planes;
      padlock=locking a gate; rake=gathering leaves; shovel=digging holes; kettle=boiling water;
      iron=smoothing shirts; paintbrush=painting; whisk=beating eggs; ruler=measuring a line; hairdryer=drying hair;
      lighter=making fire; magnifying glass=making small print look big; sieve=draining noodles;
      microscope=looking at bacteria; tin opener=getting into a tin; lawnmower=cutting grass;
      watering can=giving flowers a drink; nutcracker=getting at walnuts; pillow=resting a head
    `
  ),
  relation(
    "holds",
    "sells {}|deals in {}",
    "who sells things meant to hold {}|whose wares are made for keeping {}",
    `
      teapots=tea; wallets=money; vases=cut flowers; quivers=arrows; bookshelves=books; wardrobes=clothes;
      inkwells=ink; birdcages=birds; cradles=babies; ashtrays=ash; envelopes=letters; hangars=aeroplanes;
      egg cups=boiled eggs; coffins=the dead; photo albums=snapshots; jewel cases=rings and necklaces;
      shoe boxes=footwear; salt shakers=salt
    `
  ),
  relation(
    "colour",
    "wears a hat the colour of {}|has a hat as coloured as {}",
    "in the {} hat|whose hat is {}",
    `
      fresh snow=white; blood=red; a ripe lemon=yellow; grass=green; coal=black; a clear noon sky=blue; milk=white;
      a ripe tomato=red; a canary=yellow; spinach=green; soot=black; a carrot=orange; chocolate=brown;
      an elephant=grey; tar=black; salt=white; a cucumber=green; a flamingo=pink; cornflowers=blue
    `
  ),
  relation(
    "month",
    "has a birthday in {}|turned thirty in {}",
    "whose birthday month is {}|who celebrates in {} of the year",
    `
      January=the first month; February=the second month; March=the third month; April=the fourth month;
      May=the fifth month; June=the sixth month; July=the seventh month; August=the eighth month;
      September=the ninth month; October=the tenth month; November=the eleventh month; December=the last month
    `
  ),
  relation(
    "source",
    "bought {}|came home with {}",
    "who bought what is made from {}|whose shopping was once {}",
    `
      cheese=milk; wine=grapes; crisps=potatoes; honey=nectar; omelettes=eggs; wool=a sheep's coat; bacon=a pig;
      paper=wood; raisins=grapes; cider=apples; ketchup=tomatoes; tofu=soybeans;
      marmalade=oranges; popcorn=maize; leather=hides; prunes=plums; silk=the cocoons of silkworms; hummus=chickpeas
    `
  ),
  relation(
    "opposite",
    'said "{}"|wrote "{}" on the wall',
    'whose word means the opposite of "{}"|whose word is the contrary of "{}"',
    `
      hot=cold; big=small; wet=dry; empty=full; early=late; open=closed; rich=poor; loud=quiet; young=old; fast=slow;
      heavy=light; up=down; left=right; always=never; begin=end; buy=sell; push=pull; love=hate; win=lose; alive=dead;
      clean=dirty; thick=thin; sweet=bitter; strong=weak; day=night; inside=outside; remember=forget;
      question=answer; truth=lie; arrive=depart; laugh=cry; above=below; hard=soft; wide=narrow;
      cheap=expensive; easy=difficult; import=export; victory=defeat
    `
  ),
  relation(
    "body",
    "hurt {}|bandaged {}",
    "who hurt what one {} with|whose injury is to what a person {} with",
    `
      an ear=hears; an eye=sees; the nose=smells; the tongue=tastes; a molar=chews; both feet=walks;
      the skin=feels touch
    `
  ),
  relation(
    "garment",
    "knitted {}|lost {}",
    "whose knitwear or lost thing goes on the {}|who knitted or lost what is worn on the {}",
    `
      mittens=hands; socks=feet; a scarf=neck; a bobble hat=head; a ring=finger; a belt=waist; a wristwatch=wrist;
      ear muffs=ears; kneepads=knees
    `
  ),
  relation(
    "planet",
    "has a poster of {}|put up a poster of {}",
    "whose poster shows the {} planet from the sun|on whose poster is the {} planet counted from the sun",
    `
      Mercury=innermost; Venus=second; Earth=third; Mars=fourth; Jupiter=fifth; Saturn=sixth; Uranus=seventh;
      Neptune=outermost
    `
  ),
  relation(
    "material",
    "broke a {}|dropped a {}",
    "who broke or dropped a thing of {}|whose mishap was with something of {}",
    `
      windowpane=glass; candle=wax; brick=clay; newspaper=paper; rubber boot=rubber; horseshoe=iron; snowman=snow;
      sandcastle=sand; milk bottle=glass; wine glass=glass; wooden leg=wood; ice cube=ice
    `
  ),
  relation(
    "synonym",
    "won {}|was handed {} as a prize",
    "whose prize was {}|who won {}",
    `
      a sofa=a couch; a bicycle=a bike; a present=a gift; an automobile=a car; an infant's cot=a baby's bed;
      a bucket=a pail; a photo=a photograph; a fridge=a refrigerator; a carpet=a rug; a boulder=a big stone;
      a television=a TV set; a telephone=a phone; an aeroplane=a plane; spectacles=a pair of glasses;
      a taxi ride=a trip in a cab; a rabbit=a bunny; sneakers=running shoes; a rucksack=a backpack;
      a waistcoat=a vest; a lorry=a truck; a flat=an apartment; a wooden puppet=a marionette;
      an ocean cruise=a voyage at sea
    `
  ),
  relation(
    "member",
    'wrote "{}" on a card|holds a card saying "{}"',
    "whose card names a kind of {}|on whose card a kind of {} is named",
    `
      tulip=flower; daisy=flower; oak=tree; birch=tree; hammer=tool; screwdriver=tool; sparrow=bird; eagle=bird;
      salmon=fish; trout=fish; ant=insect; mosquito=insect; violin=musical instrument; trumpet=musical instrument;
      carrot=vegetable; cabbage=vegetable; banana=fruit; pear=fruit; shirt=garment; trousers=garment;
      armchair=furniture; wardrobe=furniture; copper=metal; iron=metal; emerald=gemstone; ruby=gemstone; tango=dance;
      waltz=dance; football=sport; tennis=sport; purple=colour; green=colour; triangle=geometric figure;
      rectangle=geometric figure; Portuguese=language; Japanese=language; wheat=cereal; barley=cereal; cobra=snake;
      python=snake; measles=illness; canoe=boat; ferry=boat; chess=board game; sword=weapon; poodle=dog;
      dachshund=dog; sonnet=poem; villa=building; river=water in the landscape; Tuesday=weekday; thunderstorm=weather
    `
  ),
  relation(
    "spanish",
    'shouted "{}"',
    'whose shout was Spanish for "{}"',
    `
      perro=dog; gato=cat; casa=house; agua=water; leche=milk; pan=bread; fuego=fire; noche=night; mesa=table;
      libro=book; rojo=red; lluvia=rain; queso=cheese; mano=hand; ventana=window; zapato=shoe
    `
  ),
  relation(
    "german",
    'cried "{}"',
    'whose cry was German for "{}"',
    `
      Hund=dog; Katze=cat; Haus=house; Wasser=water; Milch=milk; Brot=bread; Feuer=fire; Nacht=night; Tisch=table;
      Buch=book; Baum=tree; Regen=rain; Schlüssel=key; Kirche=church; Fenster=window; Schuh=shoe
    `
  ),
  relation(
    "french",
    'yelled "{}"',
    'whose yell was French for "{}"',
    `
      chien=dog; chat=cat; maison=house; eau=water; lait=milk; pain=bread; feu=fire; nuit=night; pomme=apple;
      livre=book; arbre=tree; pluie=rain; fromage=cheese; main=hand; fenêtre=window; oiseau=bird
    `
  ),
  relation(
    "italian",
    'whispered "{}"',
    'whose whisper was Italian for "{}"',
    `
      cane=dog; gatto=cat; casa=house; acqua=water; latte=milk; pane=bread; fuoco=fire; notte=night; tavola=table;
      libro=book; albero=tree; pioggia=rain; formaggio=cheese; cavallo=horse; finestra=window; uccello=bird
    `
  ),
  relation(
    "vehicle",
    "came by {}|arrived by {}",
    "whose journey here was {}|who got here {}",
    `
      submarine=beneath the waves; aeroplane=through the clouds; train=on rails;
      hot-air balloon=hanging under a bag of warm air; rowing boat=with a pair of oars; sledge=across snow;
      bicycle=by pedalling; horse=in the saddle; spacecraft=from beyond the atmosphere;
      camel=between two humps or on one
    `
  ),
  relation(
    "season",
    "packed {}|unpacked {}",
    "whose luggage was meant for {}|whose bag was ready for {}",
    `
      skis=snow-covered slopes; an umbrella=rain; a swimsuit=a dip in the sea; a tent=a night's camping;
      hiking boots=a mountain walk; a dinner jacket=a gala; a snorkel=looking at fish under water; a saddle=riding
    `
  ),
  relation(
    "story",
    "read about {}|is reading about {}",
    "whose book is about {}|who was reading about {}",
    `
      Cinderella=a girl who loses a slipper; Noah=a man who builds an ark; Robinson Crusoe=a castaway on an island;
      Pinocchio=a puppet whose nose grows; Dracula=a vampire; Snow White=a girl among seven dwarfs;
      Romeo=the lover of Juliet; Sherlock Holmes=a detective in Baker Street;
      Columbus=a sailor who crossed the Atlantic in 1492; Cleopatra=a queen of Egypt;
      Neil Armstrong=the first man on the moon; Little Red Riding Hood=a girl who meets a wolf;
      Beethoven=a composer who went deaf; Gutenberg=the pioneer of book printing in Europe;
      Einstein=the physicist of relativity; Captain Ahab=the hunter of a white whale;
      Icarus=a boy who flew too near the sun
    `
  )
]
