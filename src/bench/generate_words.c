#include "bench/generate_words.h"

static const char *const english_nouns[] = {
    "Harbor",    "Lantern",   "Sparrow",  "Meadow",     "Engine",    "Ladder",     "Orchard",
    "Thunder",   "Velvet",    "Marble",   "Copper",     "Canyon",    "Winter",     "Mirror",
    "Satellite", "Compass",   "Feather",  "Anchor",     "Garden",    "Whistle",    "Pillow",
    "Carousel",  "Telegraph", "Umbrella", "Cathedral",  "Bonfire",   "Puddle",     "Sailor",
    "Magnet",    "Bicycle",   "Window",   "Shadow",     "Ember",     "Glacier",    "Tornado",
    "Basement",  "Highway",   "Cinema",   "Chandelier", "Tiger",     "Heron",      "Moth",
    "Beetle",    "Fox",       "Owl",      "Whale",      "Antler",    "Bramble",    "Thistle",
    "Clover",    "Maple",     "Juniper",  "Willow",     "Cedar",     "Petal",      "Root",
    "Acre",      "Furnace",   "Hammer",   "Needle",     "Thread",    "Button",     "Ribbon",
    "Paper",     "Pencil",    "Letter",   "Postcard",   "Stamp",     "Ticket",     "Suitcase",
    "Station",   "Platform",  "Signal",   "Tunnel",     "Bridge",    "Tower",      "Balcony",
    "Kitchen",   "Attic",     "Cellar",   "Hallway",    "Staircase", "Clock",      "Minute",
    "Hour",      "Evening",   "Morning",  "Midnight",   "Sunday",    "April",      "November",
    "Summer",    "Autumn",    "Weather",  "Cloud",      "Rain",      "Snow",       "Fog",
    "Wind",      "Tide",      "Wave",     "Island",     "River",     "Lake",       "Valley",
    "Mountain",  "Desert",    "Forest",   "Field",      "Horizon",   "Comet",      "Planet",
    "Moon",      "Star",      "Gravity",  "Orbit",      "Machine",   "Circuit",    "Static",
    "Voltage",   "Wire",      "Antenna",  "Radio",      "Receiver",  "Transistor", "Battery",
    "Motor",     "Piston",    "Wheel",    "Ghost",      "Angel",     "Saint",      "Stranger",
    "Neighbor",  "Cousin",    "Sister",   "Captain",    "Doctor",    "Teacher",    "Soldier",
    "Gambler",   "Dancer",    "Painter",  "Poet",       "Prophet",   "Giant",      "Dragon",
    "Mammoth",   "Bear",      "Raven",    "Crow",       "Swan",      "Pigeon",     "Salmon",
    "Oyster",    "Pearl",     "Diamond",  "Silver",     "Gold",      "Iron",       "Steel",
    "Glass",     "Smoke",     "Dust",     "Ash",        "Salt",      "Sugar",      "Honey",
    "Lemon",     "Cherry",    "Apple",    "Pepper",     "Coffee",    "Whiskey",    "Bread",
    "Fever",     "Dream",     "Memory",   "Secret",     "Promise",   "Question",   "Answer",
    "Number",    "Color",     "Echo",     "Whisper",    "Silence",   "Language",   "Alphabet",
    "Grammar",   "Theory",    "Method",   "Ritual",     "Parade",    "Carnival",   "Circus",
    "Festival",  "Wedding",   "Funeral",  "Birthday",   "Holiday",   "Vacation",   "Accident",
    "Adventure", "Mistake",   "Apology",  "Goodbye",    "Heart",     "Hand",       "Bone",
    "Skin",      "Blood",     "Breath",   "Shoulder",   "Tongue",    "Eye",        "Light",
    "Fire",      "Water",     "Stone",    "Love",       "Money",     "Trouble",    "Wonder",
    "Glory",     "Mercy",     "Reason",   "Season",     "Sorrow",    NULL};

static const char *const english_others[] = {
    "Quiet",       "Broken",   "Golden",   "Electric",   "Hollow",   "Distant",   "Crooked",
    "Gentle",      "Frozen",   "Burning",  "Silent",     "Restless", "Wooden",    "Plastic",
    "Crystal",     "Midnight", "Northern", "Southern",   "Western",  "Eastern",   "Little",
    "Great",       "Tiny",     "Heavy",    "Slow",       "Fast",     "Late",      "Early",
    "Last",        "First",    "Second",   "Seventh",    "Hundred",  "Blue",      "Red",
    "Green",       "Yellow",   "Purple",   "Black",      "White",    "Grey",      "Pale",
    "Bright",      "Dark",     "Dim",      "Wild",       "Tame",     "Savage",    "Polite",
    "Lonely",      "Happy",    "Sad",      "Angry",      "Sleepy",   "Drunken",   "Sober",
    "Holy",        "Wicked",   "Innocent", "Guilty",     "Famous",   "Forgotten", "Invisible",
    "Transparent", "Magnetic", "Atomic",   "Solar",      "Lunar",    "Arctic",    "Tropical",
    "Concrete",    "Paper",    "Cotton",   "Leather",    "Silk",     "Rusty",     "Dusty",
    "Muddy",       "Rainy",    "Sunny",    "Windy",      "Foggy",    "Stormy",    "Secret",
    "Public",      "Private",  "Modern",   "Ancient",    "Future",   "Permanent", "Temporary",
    "Imaginary",   "Ordinary", "Perfect",  "Impossible", "Careful",  "Reckless",  "Bitter",
    "Sweet",       "Sour",     "Salty",    "Soft",       "Loud",     "Sharp",     "Blunt",
    "Empty",       "Full",     "Open",     "Closed",     "Hidden",   "Lost",      "Stolen",
    "Borrowed",    "Painted",  "Naked",    "Barefoot",   "Homesick", "Seasick",   "Lucky",
    "Nervous",     "Patient",  "Curious",  "Faithful",   "Foreign",  "Double",    "Single",
    "Infinite",    "Parallel", NULL};

static const char *const french_nouns[] = {
    "Étoile", "Rivière", "Fenêtre", "Forêt",   "Lumière",   "Été",     "Hiver",    "Matin",
    "Soirée", "Chapeau", "Oiseau",  "Château", "Plage",     "Rêve",    "Fenouil",  "Cerise",
    "Écluse", "Échelle", "Île",     "Ombre",   "Poussière", "Mémoire", "Théâtre",  "Cinéma",
    "Valise", "Gare",    "Métro",   "Chanson", "Guêpe",     "Abeille", "Écureuil", "Hérisson",
    "Nuage",  "Orage",   "Marée",   "Phare",   "Sœur",      "Cœur",    "Œillet",   "Garçon",
    "Façade", "Leçon",   "Glaçon",  "Noël",    "Maïs",      NULL};
static const char *const french_others[] = {
    "Léger",  "Étrange",  "Éternel", "Secret", "Perdu",   "Doré",   "Brûlé",      "Salé",
    "Sucré",  "Bleu",     "Noir",    "Égaré",  "Fidèle",  "Amer",   "Tranquille", "Célèbre",
    "Oublié", "Lointain", "Frêle",   "Muet",   "Parfait", "Étoilé", NULL};

static const char *const spanish_nouns[] = {
    "Corazón", "Camino",   "Montaña", "Mañana",  "Noche",  "Canción",   "Ratón",  "Búho",
    "Jardín",  "Estación", "Balcón",  "Ventana", "Árbol",  "Águila",    "Río",    "Océano",
    "Lámpara", "Música",   "Sueño",   "Niño",    "Otoño",  "Pájaro",    "Sábado", "Tambor",
    "Limón",   "Azúcar",   "Máquina", "Fábrica", "Océano", "Relámpago", "Volcán", "Coração",
    "Manhã",   "Verão",    "Saudade", "Avião",   NULL};
static const char *const spanish_others[] = {
    "Eléctrico", "Perdido", "Último", "Único",   "Salvaje",   "Frágil",
    "Dulce",     "Azul",    "Lejano", "Antiguo", "Mágico",    "Pequeño",
    "Gris",      "Íntimo",  "Rápido", "Nómada",  "Invisible", NULL};

static const char *const german_nouns[] = {
    "Straße",   "Brücke",   "Mühle",  "Küche",   "Tür",      "Schlüssel", "Übung",    "Öffnung",
    "Äpfel",    "Gärten",   "Bäume",  "Flügel",  "Hügel",    "Möwe",      "Löwe",     "Käfer",
    "Gewitter", "Nebel",    "Hafen",  "Bahnhof", "Fenster",  "Spiegel",   "Schatten", "Herbst",
    "Frühling", "Geräusch", "Gefühl", "Träume",  "Maschine", "Überfahrt", "Schnee",   "Feuer",
    "Zeit",     "Größe",    "Füße",   NULL};
static const char *const german_others[] = {
    "Späte", "Kühle", "Schöne",   "Müde", "Größte", "Stille",    "Letzte",  "Fremde", "Süße",
    "Graue", "Wilde", "Tägliche", "Öde",  "Blinde", "Verlorene", "Nächste", NULL};

static const char *const nordic_nouns[] = {
    "Fjäll", "Sjö",   "Älv",   "Ö",     "Åska",   "Måne",  "Stjärna", "Skog", "Björk",  "Räv",
    "Älg",   "Snö",   "Vår",   "Höst",  "Hjärta", "Dröm",  "Fågel",   "Natt", "Morgon", "Røyk",
    "Bølge", "Fjord", "Ås",    "Bjørn", "Ørn",    "Sol",   "Haf",     "Ljós", "Þoka",   "Eldur",
    "Sær",   "Járn",  "Tuuli", "Jää",   "Kettu",  "Metsä", "Yö",      NULL};
static const char *const nordic_others[] = {
    "Blå",   "Grå", "Röd",   "Mörk", "Ljus", "Stilla", "Förlorad", "Kall",  "Ny",
    "Sista", "Rød", "Grønn", "Hvít", "Gömd", "Trött",  "Hemlig",   "Öppen", NULL};

static const char *const slavic_nouns[] = {
    "Źródło", "Łąka",   "Księżyc", "Żuraw",    "Świt",  "Cień",  "Wiatr",  "Śnieg",  "Gołąb",
    "Mgła",   "Řeka",   "Měsíc",   "Ptáček",   "Žár",   "Šípek", "Kůň",    "Děšť",   "Zvěř",
    "Čaj",    "Světlo", "Noć",     "Zvijezda", "Šuma",  "Ključ", "Prozor", "Gyöngy", "Tücsök",
    "Őszi",   "Erdő",   "Yıldız",  "Güneş",    "Köprü", "Çiçek", "Ağaç",   "Şehir",  NULL};
static const char *const slavic_others[] = {"Cichy", "Złoty", "Żółty", "Śpiący", "Dziki", "Tichý",
                                            "Zlatý", "Černý", "Šedý",  "Bílý",   "Tamni", "Zadnji",
                                            "Kék",   "Hűvös", "Küçük", "Büyük",  "Gri",   NULL};

static const char *const russian_nouns[] = {
    "Ветер",  "Река",  "Зима", "Тишина", "Город",  "Поезд",   "Мост",   "Звезда", "Луна",  "Дорога",
    "Письмо", "Окно",  "Снег", "Птица",  "Море",   "Корабль", "Ёлка",   "Дождь",  "Огонь", "Лес",
    "Утро",   "Вечер", "Сон",  "Память", "Музыка", "Машина",  "Облако", "Йод",    NULL};
static const char *const russian_others[] = {"Северный", "Тихий",   "Последний", "Чёрный", "Белый",
                                             "Синий",    "Далёкий", "Новый",     "Старый", "Ночной",
                                             "Дикий",    "Забытый", "Весёлый",   NULL};

static const char *const greek_nouns[] = {
    "Θάλασσα", "Άνεμος",  "Φεγγάρι", "Ήλιος",    "Νύχτα",    "Δρόμος",  "Πόλη",   "Όνειρο", "Κύμα",
    "Βροχή",   "Ουρανός", "Αστέρι",  "Παράθυρο", "Χειμώνας", "Μουσική", "Καράβι", NULL};
static const char *const greek_others[] = {"Μαύρο", "Άσπρο", "Μικρό",  "Μεγάλο", "Κρυφό",
                                           "Ήσυχο", "Παλιό", "Χαμένο", NULL};

static const char *const japanese_nouns[] = {
    "夜",     "海",     "空",     "月",     "星",     "風",       "雨",     "雪",
    "花",     "森",     "川",     "街",     "電車",   "夢",       "記憶",   "時計",
    "手紙",   "窓",     "影",     "光",     "ガラス", "ラジオ",   "カメラ", "ギター",
    "レモン", "さくら", "きつね", "ことり", "ゆうひ", "みずうみ", NULL};
static const char *const japanese_others[] = {
    "青い", "白い", "黒い", "静かな", "遠い", "古い", "小さな", "最後の", "透明な", "秘密の", NULL};

static const char *const korean_nouns[] = {
    "바다", "하늘", "별",   "바람", "비",     "눈", "꽃",     "숲",   "도시", "기차",
    "꿈",   "기억", "편지", "창문", "그림자", "빛", "라디오", "여우", NULL};
static const char *const korean_others[] = {"푸른",   "하얀", "검은",   "조용한", "먼",
                                            "오래된", "작은", "마지막", NULL};

static const char *const arabic_nouns[] = {"قمر", "بحر",  "نجمة", "ريح",   "مطر",
                                           "ليل", "صباح", "طريق", "نافذة", "مدينة",
                                           "حلم", "وردة", "نهر",  "جبل",   NULL};
static const char *const arabic_others[] = {"بعيد", "قديم", "صغير", "أزرق", "هادئ", "أخير", NULL};

static const char *const hebrew_nouns[] = {"ירח", "ים",   "כוכב", "רוח",  "גשם", "לילה", "בוקר",
                                           "דרך", "חלון", "עיר",  "חלום", "פרח", "נהר",  NULL};
static const char *const hebrew_others[] = {"רחוק", "ישן", "קטן", "כחול", "שקט", "אחרון", NULL};

const struct words words_of[FLAVOURS] = {
    [ENGLISH] = {english_nouns, english_others, "an", " of "},
    [FRENCH] = {french_nouns, french_others, "na", " de "},
    [SPANISH] = {spanish_nouns, spanish_others, "na", " del "},
    [GERMAN] = {german_nouns, german_others, "an", " und "},
    [NORDIC] = {nordic_nouns, nordic_others, "an", " & "},
    [SLAVIC] = {slavic_nouns, slavic_others, "an", " i "},
    [RUSSIAN] = {russian_nouns, russian_others, "an", " и "},
    [GREEK] = {greek_nouns, greek_others, "an", " και "},
    [JAPANESE] = {japanese_nouns, japanese_others, "an", "と"},
    [KOREAN] = {korean_nouns, korean_others, "an", " "},
    [ARABIC] = {arabic_nouns, arabic_others, "na", " و"},
    [HEBREW] = {hebrew_nouns, hebrew_others, "na", " ו"},
};

const char *const words_verbs[] = {
    "Chasing",  "Losing",  "Finding",  "Waiting",  "Leaving",  "Falling",  "Breaking", "Counting",
    "Drawing",  "Driving", "Drowning", "Feeding",  "Folding",  "Haunting", "Holding",  "Hunting",
    "Burying",  "Calling", "Carrying", "Climbing", "Crossing", "Building", "Learning", "Lifting",
    "Mending",  "Naming",  "Opening",  "Painting", "Reading",  "Running",  "Sailing",  "Selling",
    "Shaking",  "Singing", "Sleeping", "Spinning", "Stealing", "Swimming", "Talking",  "Walking",
    "Watching", "Writing", NULL};

const char *const words_places[] = {
    "Ashgrove",   "Brindlemoor", "Carrowmere",  "Dunwick",    "Eastlea",
    "Farrowdale", "Glenhollow",  "Harrowfen",   "Ironmoor",   "Jarrowfield",
    "Kestrelton", "Lowmoor",     "Marlbank",    "Northwold",  "Oakhaven",
    "Pinecrest",  "Quarrydown",  "Ravensby",    "Saltmarsh",  "Thornbeck",
    "Underhill",  "Vintersted",  "Westermouth", "Yarrowdale", NULL};

const char *const words_first[] = {
    "Mar", "Lo", "Ke",  "Ad",  "Be",  "Cas", "De",  "El",  "Fi",  "Gar", "Ha",  "Is",  "Jo",
    "Ka",  "Le", "Mi",  "Na",  "Or",  "Pe",  "Qui", "Ra",  "Sa",  "Te",  "Ul",  "Va",  "Wen",
    "Ya",  "Zo", "Bro", "Cla", "Dra", "Fle", "Gri", "Hel", "Ing", "Jas", "Kri", "Lin", "Mon",
    "Nor", "Os", "Phi", "Ros", "Sil", "Tor", "Vic", "Wil", "Xa",  "Yor", "Zel", NULL};

const char *const words_middle[] = {
    "la", "ri", "no", "ve", "da", "mi", "ro", "sa", "te", "lu", "ba", "ki", "go", "ne", "fa", "li",
    "mo", "ra", "si", "to", "va", "ze", "ni", "do", "ma", "re", "di", "lo", "be", "na", NULL};

const char *const words_last[] = {
    "n",    "s",     "r",   "nd",   "ll",   "th",   "x",  "son", "sen",  "ini", "ov",  "ez",
    "mann", "ström", "ić",  "ák",   "wood", "well", "by", "ley", "ford", "er",  "ski", "eau",
    "etti", "ardo",  "ine", "elle", "ia",   "us",   "o",  "a",   "y",    NULL};
