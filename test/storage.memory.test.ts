import { MemoryStorage } from "@outdial/core"
import { StorageContract } from "@outdial/testkit"

StorageContract.contract("memory", MemoryStorage.layer)
