/**
 * Corrections where the table's source is wrong or too narrow. A correction holds for every number with its prefix,
 * unless a longer prefix matches. Mobile numbers of a country with several zones get all of them, because people keep
 * their number when they move; numbers without a place get none.
 */

export interface NumberZoneCorrection {
  readonly starts: ReadonlyArray<string>
  readonly zones: ReadonlyArray<string>
  readonly reason: string
}

const australia = [
  "Australia/Adelaide",
  "Australia/Brisbane",
  "Australia/Darwin",
  "Australia/Eucla",
  "Australia/Lord_Howe",
  "Australia/Perth",
  "Australia/Sydney",
  "Indian/Christmas",
  "Indian/Cocos"
]
const chile = ["America/Coyhaique", "America/Punta_Arenas", "America/Santiago", "Pacific/Easter"]
const congo = ["Africa/Kinshasa", "Africa/Lubumbashi"]
const greenland = ["America/Nuuk", "America/Scoresbysund", "America/Thule"]
const indonesia = ["Asia/Jakarta", "Asia/Jayapura", "Asia/Makassar"]
const micronesia = ["Pacific/Chuuk", "Pacific/Kosrae", "Pacific/Pohnpei"]
const mongolia = ["Asia/Hovd", "Asia/Ulaanbaatar"]
const newZealand = ["Pacific/Auckland", "Pacific/Chatham"]
const polynesia = ["Pacific/Gambier", "Pacific/Marquesas", "Pacific/Tahiti"]
// One zone for each of the country's eleven offsets.
const russia = [
  "Asia/Irkutsk",
  "Asia/Kamchatka",
  "Asia/Krasnoyarsk",
  "Asia/Magadan",
  "Asia/Omsk",
  "Asia/Vladivostok",
  "Asia/Yakutsk",
  "Asia/Yekaterinburg",
  "Europe/Kaliningrad",
  "Europe/Moscow",
  "Europe/Samara"
]
const spain = ["Atlantic/Canary", "Europe/Madrid"]

const northAmerica: ReadonlyArray<NumberZoneCorrection> = [
  {
    starts: ["+1800", "+1833", "+1844", "+1855", "+1866", "+1877", "+1888"],
    zones: [],
    reason: "Toll-free: answered anywhere from Samoa to Newfoundland"
  },
  {
    starts: ["+1500", "+1600", "+1700", "+1710", "+1900"],
    zones: [],
    reason: "Premium, personal and government numbers, which are tied to no place"
  },
  {
    starts: ["+1850", "+1448"],
    zones: ["America/Chicago", "America/New_York"],
    reason: "The source puts Tallahassee into Central time, and the overlay 448 into Eastern time alone"
  },
  {
    starts: ["+1364", "+1930"],
    zones: ["America/Chicago", "America/New_York"],
    reason: "Overlays of 270 in Kentucky and 812 in Indiana, which have both clocks"
  },
  { starts: ["+1458"], zones: ["America/Boise", "America/Los_Angeles"], reason: "Overlay of 541 in Oregon" },
  {
    starts: ["+1236", "+1257", "+1672", "+1778"],
    zones: ["America/Edmonton", "America/Vancouver"],
    reason: "Overlays of 250 in British Columbia, whose east keeps Alberta's time"
  },
  {
    starts: ["+1367", "+1581"],
    zones: ["America/Halifax", "America/Toronto"],
    reason: "Overlays of 418 in Quebec, which has the Magdalen Islands"
  },
  {
    starts: ["+1867"],
    zones: [
      "America/Cambridge_Bay",
      "America/Edmonton",
      "America/Inuvik",
      "America/Iqaluit",
      "America/Rankin_Inlet",
      "America/Resolute",
      "America/Whitehorse"
    ],
    reason: "All three territories; the source puts Yukon into Vancouver's time and Yellowknife into Fort Nelson's"
  }
]

const latinAmerica: ReadonlyArray<NumberZoneCorrection> = [
  {
    starts: [
      "+52614",
      "+52621",
      "+52625",
      "+52627",
      "+52628",
      "+52629",
      "+52635",
      "+52639",
      "+52648",
      "+52652",
      "+52659"
    ],
    zones: ["America/Chihuahua"],
    reason: "Chihuahua left the time of Mazatlán on 2022-10-30"
  },
  {
    starts: ["+52636"],
    zones: ["America/Chihuahua", "America/Ciudad_Juarez"],
    reason: "Nuevo Casas Grandes, and Janos and Ascensión, which keep the time of the border"
  },
  {
    starts: ["+52868"],
    zones: ["America/Matamoros"],
    reason: "Matamoros itself, which the source puts into the time of Mexico City"
  },
  {
    starts: ["+52862", "+52873", "+52891", "+52897"],
    zones: ["America/Matamoros", "America/Monterrey"],
    reason: "Along the border, where some towns change their clocks with Texas"
  },
  {
    starts: ["+5581"],
    zones: ["America/Noronha", "America/Recife"],
    reason: "The source puts much of Recife on the island"
  },
  { starts: ["+5591", "+5594"], zones: ["America/Belem"], reason: "All of Pará has Belém's time since 2008" },
  { starts: ["+5593"], zones: ["America/Santarem"], reason: "All of Pará has Belém's time since 2008" },
  {
    starts: ["+5597"],
    zones: ["America/Eirunepe", "America/Manaus"],
    reason: "The west of Amazonas is an hour behind"
  },
  { starts: ["+5567"], zones: ["America/Campo_Grande"], reason: "Some exchanges stand in another state's time" },
  { starts: ["+5569"], zones: ["America/Porto_Velho"], reason: "Some exchanges stand in another state's time" },
  {
    starts: ["+5632"],
    zones: ["America/Santiago", "Pacific/Easter"],
    reason: "Valparaíso shares its code with Easter Island"
  },
  { starts: ["+5644", "+568", "+569"], zones: chile, reason: "Mobile and internet telephones" },
  { starts: ["+5661"], zones: ["America/Punta_Arenas"], reason: "Magallanes keeps summer time since 2016" },
  { starts: ["+5667"], zones: ["America/Coyhaique"], reason: "Aysén keeps summer time since 2025" },
  { starts: ["+5939"], zones: ["America/Guayaquil", "Pacific/Galapagos"], reason: "Mobile telephones" },
  {
    starts: ["+52800", "+52900", "+55300", "+55400", "+55500", "+55800", "+55900", "+56600", "+56700", "+56800"],
    zones: [],
    reason: "Toll-free, shared-cost and premium numbers"
  }
]

const europeAndAfrica: ReadonlyArray<NumberZoneCorrection> = [
  { starts: ["+346", "+347", "+345"], zones: spain, reason: "Mobile telephones and numbers tied to no place" },
  { starts: ["+34800", "+3490", "+34803", "+34806", "+34807", "+351800"], zones: [], reason: "Toll-free and premium" },
  { starts: ["+3519"], zones: ["Atlantic/Azores", "Europe/Lisbon"], reason: "Mobile telephones" },
  { starts: ["+2438", "+2439"], zones: congo, reason: "Mobile telephones" },
  {
    starts: ["+2434", "+2435", "+2436"],
    zones: congo,
    reason: "Kasai, Kivu and Orientale, much of which has Lubumbashi's time"
  },
  { starts: ["+2992", "+2994", "+2995", "+2997"], zones: greenland, reason: "Mobile telephones" },
  { starts: ["+79"], zones: russia, reason: "Mobile telephones" },
  {
    starts: ["+7800", "+7803", "+7804", "+7808", "+7809", "+7810"],
    zones: [],
    reason: "Toll-free and premium, of Russia and of Kazakhstan"
  },
  { starts: ["+7840"], zones: ["Europe/Moscow"], reason: "Abkhazia" },
  { starts: ["+7845"], zones: ["Europe/Saratov"], reason: "Saratov left Moscow's time on 2016-12-04" },
  {
    starts: ["+7411"],
    zones: ["Asia/Srednekolymsk", "Asia/Vladivostok", "Asia/Yakutsk"],
    reason: "Yakutia has three clocks"
  },
  { starts: ["+74112"], zones: ["Asia/Yakutsk"], reason: "The city of Yakutsk" },
  {
    starts: ["+77"],
    zones: ["Asia/Almaty", "Asia/Aqtobe"],
    reason: "Mobile and other numbers; one clock since 2024-03-01"
  }
]

const asiaAndPacific: ReadonlyArray<NumberZoneCorrection> = [
  { starts: ["+611"], zones: [], reason: "Toll-free, shared-cost, premium and satellite" },
  { starts: ["+614", "+615"], zones: australia, reason: "Mobile telephones and numbers tied to no place" },
  {
    starts: ["+617"],
    zones: ["Australia/Brisbane"],
    reason: "Queensland; the source takes Sydney's time where it lists no exchange"
  },
  {
    starts: ["+61746", "+6175"],
    zones: ["Australia/Brisbane", "Australia/Sydney"],
    reason: "The Darling Downs and the Gold Coast share their codes with towns across the border"
  },
  {
    starts: ["+6186", "+61892", "+61893", "+61894", "+61895", "+61896", "+61897", "+61898", "+61899"],
    zones: ["Australia/Perth"],
    reason: "Western Australia; the source adds Adelaide's time"
  },
  {
    starts: ["+6187"],
    zones: ["Australia/Adelaide", "Australia/Darwin"],
    reason: "South Australia and the Northern Territory"
  },
  { starts: ["+6188"], zones: ["Australia/Adelaide"], reason: "South Australia and Broken Hill" },
  {
    starts: ["+61889"],
    zones: ["Australia/Adelaide", "Australia/Darwin", "Australia/Perth"],
    reason: "The Northern Territory, and desert communities on both sides of its borders"
  },
  { starts: ["+628"], zones: indonesia, reason: "Mobile telephones" },
  { starts: ["+62800", "+62804", "+62809"], zones: [], reason: "Toll-free, shared-cost and premium" },
  {
    starts: ["+642", "+64330"],
    zones: newZealand,
    reason: "Mobile telephones; 03 30 is Ashburton as well as the Chatham Islands"
  },
  { starts: ["+6480", "+6490"], zones: [], reason: "Toll-free and premium" },
  { starts: ["+6721"], zones: [], reason: "Antarctic stations, each with a clock of its own" },
  { starts: ["+675"], zones: ["Pacific/Bougainville", "Pacific/Port_Moresby"], reason: "Bougainville left in 2014" },
  { starts: ["+686"], zones: ["Pacific/Kanton", "Pacific/Kiritimati", "Pacific/Tarawa"], reason: "Mobile telephones" },
  {
    starts: ["+689409", "+68987", "+68988", "+68989"],
    zones: polynesia,
    reason: "Mobile telephones, and the Marquesas"
  },
  { starts: ["+6919"], zones: micronesia, reason: "Mobile telephones" },
  { starts: ["+9765", "+9766", "+9767", "+9768", "+9769"], zones: mongolia, reason: "Mobile and internet telephones" }
]

/** All corrections; no prefix occurs twice. */
export const corrections: ReadonlyArray<NumberZoneCorrection> = [
  ...northAmerica,
  ...latinAmerica,
  ...europeAndAfrica,
  ...asiaAndPacific
]
