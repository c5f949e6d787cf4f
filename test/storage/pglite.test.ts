import { Migrations, Pglite, SqlStorage } from "@outdial/sql"
import { StorageContract } from "@outdial/testkit/contracts"
import { Layer } from "effect"

StorageContract.contract(
  "PGlite",
  SqlStorage.layer.pipe(Layer.provide(Layer.provideMerge(Migrations.layer, Pglite.layer({ dataDir: undefined }))))
)
