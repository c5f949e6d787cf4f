import { SqlStorage } from "@outdial/sql"
import { StorageContract } from "@outdial/testkit/contracts"
import { Layer } from "effect"
import * as Pglite from "../support/pglite.ts"
import * as Sample from "./Sample.ts"

StorageContract.contract("PGlite", Layer.provide(SqlStorage.layer, Pglite.layer), Sample.ofContract)
