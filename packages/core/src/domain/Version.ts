/** The version of Outdial. `npm run release:version` writes it together with those of the packages. */
export const version = "0.1.0"
