/** The version of Outdial; `npm run release:version` writes it with those of the packages. */
export const version = "0.1.0"
