import { SqlStorage } from "@outdial/sql"
import { StorageContract } from "@outdial/testkit/contracts"
import { Layer } from "effect"
import * as Postgres from "../support/postgres.ts"
import * as Sample from "./Sample.ts"

StorageContract.contract("Postgres", Layer.provide(SqlStorage.layer, Postgres.layer))
StorageContract.contract(
  "Postgres, with a client that renames columns",
  Layer.provide(SqlStorage.layer, Postgres.layerRenaming),
  Sample.ofContract
)
