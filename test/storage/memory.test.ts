import { MemoryStorage } from "@outdial/core"
import { StorageContract } from "@outdial/testkit/contracts"

StorageContract.contract("memory", MemoryStorage.layer)
