import { MemoryStorage } from "@outdial/core"
import { StorageContract } from "@outdial/testkit/contracts"
import { Duration } from "effect"
import { watched } from "./storage.ts"

StorageContract.contract("watched", watched(MemoryStorage.layer, Duration.seconds(1)))
