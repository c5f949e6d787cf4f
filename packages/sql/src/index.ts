/** Outdial's storage on Postgres and on embedded PGlite: one implementation, and the ways to connect and migrate. */
export * as DatabaseClock from "./DatabaseClock.ts"
export * as DatabaseReport from "./DatabaseReport.ts"
export * as Migrations from "./Migrations.ts"
export * as Pglite from "./Pglite.ts"
export * as Postgres from "./Postgres.ts"
export * as PostgresWakeups from "./PostgresWakeups.ts"
export * as SqlStorage from "./SqlStorage.ts"
export * as StorageMetrics from "./StorageMetrics.ts"
