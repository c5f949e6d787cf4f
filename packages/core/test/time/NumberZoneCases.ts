/** Numbers whose place is known, with every zone that they may lie in. */

const eastern = "America/New_York"
const central = "America/Chicago"
const mountain = "America/Denver"
const pacific = "America/Los_Angeles"
const australia =
  "Australia/Adelaide Australia/Brisbane Australia/Darwin Australia/Eucla Australia/Lord_Howe Australia/Perth Australia/Sydney Indian/Christmas Indian/Cocos"
const russia =
  "Asia/Irkutsk Asia/Kamchatka Asia/Krasnoyarsk Asia/Magadan Asia/Omsk Asia/Vladivostok Asia/Yakutsk Asia/Yekaterinburg Europe/Kaliningrad Europe/Moscow Europe/Samara"
const territories =
  "America/Cambridge_Bay America/Edmonton America/Inuvik America/Iqaluit America/Rankin_Inlet America/Resolute America/Whitehorse"

type Case = readonly [number: string, place: string, zones: string]

const northAmerica: ReadonlyArray<Case> = [
  ["+12125550100", "New York", eastern],
  ["+13125550100", "Chicago", central],
  ["+13035550100", "Denver", mountain],
  ["+14155550100", "San Francisco", pacific],
  ["+16025550100", "Phoenix", "America/Phoenix"],
  ["+18085550100", "Honolulu", "Pacific/Honolulu"],
  ["+19075550100", "Alaska, not listed", "America/Adak America/Anchorage America/Juneau"],
  ["+19075811234", "Dutch Harbor", "America/Anchorage"],
  ["+18504127000", "Tallahassee", `${central} ${eastern}`],
  ["+18504320100", "Pensacola", `${central} ${eastern}`],
  ["+14485550100", "overlay of 850", `${central} ${eastern}`],
  ["+13645550100", "overlay of 270", `${central} ${eastern}`],
  ["+19305550100", "overlay of 812", `${central} ${eastern}`],
  ["+14585550100", "overlay of 541", `America/Boise ${pacific}`],
  ["+19288714000", "Window Rock, Navajo Nation", `${mountain} America/Phoenix`],
  ["+19286741234", "Chinle, Navajo Nation", `${mountain} America/Phoenix`],
  ["+19288100100", "an exchange of 928 that is not listed", `${mountain} America/Phoenix`],
  ["+12198851234", "Gary", central],
  ["+12195550100", "an exchange of 219 that is not listed", `${central} ${eastern}`],
  ["+12702301234", "Kentucky, Central", central],
  ["+17024701234", "Las Vegas", pacific],
  ["+19155550100", "El Paso", mountain],
  ["+12082241234", "Idaho, not listed", `America/Boise ${pacific}`],
  ["+12082321234", "Pocatello", mountain],
  ["+12082651234", "Sandpoint", pacific],
  ["+17016231234", "North Dakota, Mountain", mountain],
  ["+17015550100", "North Dakota, not listed", `${central} ${mountain}`],
  ["+17876411234", "Puerto Rico", "America/Puerto_Rico"],
  ["+16716461234", "Guam", "Pacific/Guam"],
  ["+14165550100", "Toronto", "America/Toronto"],
  ["+12045550100", "Winnipeg", "America/Winnipeg"],
  ["+13065550100", "Regina", "America/Regina"],
  ["+16045550100", "Vancouver", "America/Vancouver"],
  ["+17785550100", "overlay of 250", "America/Edmonton America/Vancouver"],
  ["+15815550100", "overlay of 418", "America/Halifax America/Toronto"],
  ["+18676674111", "Whitehorse", territories],
  ["+18679201234", "Yellowknife", territories],
  ["+18679791234", "Iqaluit", territories],
  ["+17097261234", "St John's", "America/St_Johns"],
  ["+17098961234", "Happy Valley-Goose Bay", "America/Goose_Bay"],
  ["+18765550100", "Jamaica", "America/Jamaica"],
  ["+18005550100", "toll-free", ""],
  ["+18335550100", "toll-free", ""],
  ["+18445550100", "toll-free", ""],
  ["+18555550100", "toll-free", ""],
  ["+18665550100", "toll-free", ""],
  ["+18775550100", "toll-free", ""],
  ["+18885550100", "toll-free", ""],
  ["+19005550100", "premium", ""],
  ["+15005550006", "personal", ""],
  ["+15551234567", "an area code of fiction", ""]
]

const latinAmerica: ReadonlyArray<Case> = [
  ["+525512345678", "Mexico City", "America/Mexico_City"],
  ["+526141234567", "Chihuahua", "America/Chihuahua"],
  ["+526561234567", "Ciudad Juárez", "America/Ciudad_Juarez"],
  ["+526621234567", "Hermosillo", "America/Mazatlan"],
  ["+526641234567", "Tijuana", "America/Tijuana"],
  ["+529981234567", "Cancún", "America/Cancun"],
  ["+528681234567", "Matamoros", "America/Matamoros"],
  ["+528001234567", "toll-free in Mexico", ""],
  ["+5511987654321", "São Paulo", "America/Sao_Paulo"],
  ["+5581987654321", "Recife", "America/Noronha America/Recife"],
  ["+5591987654321", "Belém", "America/Belem"],
  ["+5592987654321", "Manaus", "America/Manaus"],
  ["+5568987654321", "Rio Branco", "America/Rio_Branco"],
  ["+558001234567", "toll-free in Brazil", ""],
  ["+56221234567", "Santiago", "America/Santiago"],
  ["+56322100123", "Easter Island", "America/Santiago Pacific/Easter"],
  ["+56612345678", "Punta Arenas", "America/Punta_Arenas"],
  ["+56672345678", "Coyhaique", "America/Coyhaique"],
  ["+56961234567", "a mobile in Chile", "America/Coyhaique America/Punta_Arenas America/Santiago Pacific/Easter"],
  ["+593991234567", "a mobile in Ecuador", "America/Guayaquil Pacific/Galapagos"],
  ["+541123456789", "Buenos Aires", "America/Argentina/Buenos_Aires"],
  ["+50522123456", "Managua", "America/Managua"],
  ["+299221234", "a mobile in Greenland", "America/Nuuk America/Scoresbysund America/Thule"]
]

const europeAndAfrica: ReadonlyArray<Case> = [
  ["+442079460958", "London", "Europe/London"],
  ["+4915112345678", "a mobile in Germany", "Europe/Berlin"],
  ["+33612345678", "a mobile in France", "Europe/Paris"],
  ["+34912345678", "Madrid", "Europe/Madrid"],
  ["+34928123456", "Las Palmas", "Atlantic/Canary"],
  ["+34612345678", "a mobile in Spain", "Atlantic/Canary Europe/Madrid"],
  ["+34900123456", "toll-free in Spain", ""],
  ["+351212345678", "Lisbon", "Europe/Lisbon"],
  ["+351296123456", "Azores", "Atlantic/Azores"],
  ["+351912345678", "a mobile in Portugal", "Atlantic/Azores Europe/Lisbon"],
  ["+74951234567", "Moscow", "Europe/Moscow"],
  ["+74012123456", "Kaliningrad", "Europe/Kaliningrad"],
  ["+78452123456", "Saratov", "Europe/Saratov"],
  ["+74112123456", "Yakutsk", "Asia/Yakutsk"],
  ["+74232123456", "Vladivostok", "Asia/Vladivostok"],
  ["+79161234567", "a mobile in Russia", russia],
  ["+78001234567", "toll-free in Russia", ""],
  ["+77012345678", "a mobile in Kazakhstan", "Asia/Almaty Asia/Aqtobe"],
  ["+211912345678", "Juba", "Africa/Juba"],
  ["+212612345678", "Casablanca", "Africa/Casablanca"],
  ["+213551234567", "Algiers", "Africa/Algiers"],
  ["+218912345678", "Tripoli", "Africa/Tripoli"],
  ["+201001234567", "Cairo", "Africa/Cairo"],
  ["+243812345678", "a mobile in Congo", "Africa/Kinshasa Africa/Lubumbashi"],
  ["+970591234567", "Palestine", "Asia/Gaza Asia/Hebron"]
]

const asiaAndPacific: ReadonlyArray<Case> = [
  ["+919876543210", "India", "Asia/Kolkata"],
  ["+9779812345678", "Nepal", "Asia/Kathmandu"],
  ["+959212345678", "Myanmar", "Asia/Yangon"],
  ["+8613812345678", "China", "Asia/Shanghai"],
  ["+97699123456", "a mobile in Mongolia", "Asia/Hovd Asia/Ulaanbaatar"],
  ["+622112345678", "Jakarta", "Asia/Jakarta"],
  ["+628123456789", "a mobile in Indonesia", "Asia/Jakarta Asia/Jayapura Asia/Makassar"],
  ["+61291234567", "Sydney", "Australia/Sydney"],
  ["+61740123456", "Cairns", "Australia/Brisbane"],
  ["+61755123456", "Gold Coast and Tweed Heads", "Australia/Brisbane Australia/Sydney"],
  ["+61882123456", "Adelaide", "Australia/Adelaide"],
  ["+61889123456", "Darwin", "Australia/Adelaide Australia/Darwin Australia/Perth"],
  ["+61892123456", "Perth", "Australia/Perth"],
  ["+61412345678", "a mobile in Australia", australia],
  ["+611300123456", "shared-cost in Australia", ""],
  ["+6493123456", "Auckland", "Pacific/Auckland"],
  ["+6433051234", "Chatham Islands", "Pacific/Auckland Pacific/Chatham"],
  ["+64211234567", "a mobile in New Zealand", "Pacific/Auckland Pacific/Chatham"],
  ["+67572123456", "a mobile in Papua New Guinea", "Pacific/Bougainville Pacific/Port_Moresby"],
  ["+68673012345", "a mobile in Kiribati", "Pacific/Kanton Pacific/Kiritimati Pacific/Tarawa"],
  ["+68987123456", "a mobile in French Polynesia", "Pacific/Gambier Pacific/Marquesas Pacific/Tahiti"],
  ["+6919201234", "a mobile in Micronesia", "Pacific/Chuuk Pacific/Kosrae Pacific/Pohnpei"],
  ["+6857212345", "Samoa", "Pacific/Apia"],
  ["+672312345", "Norfolk Island", "Pacific/Norfolk"],
  ["+672101234", "an Antarctic station", ""]
]

const nowhere: ReadonlyArray<Case> = [
  ["+80012345678", "international toll-free", ""],
  ["+80812345678", "international shared-cost", ""],
  ["+870773111632", "Inmarsat", ""],
  ["+881612345678", "a satellite phone", ""],
  ["+88213123456", "an international network", ""],
  ["+979123456789", "international premium", ""],
  ["+210123456789", "a country code that nobody has", ""]
]

/** `zones` is sorted; none at all for what is tied to no place. */
export const cases = [...northAmerica, ...latinAmerica, ...europeAndAfrica, ...asiaAndPacific, ...nowhere].map(
  ([number, place, zones]) => ({ number, place, zones: zones === "" ? [] : zones.split(" ") })
)
