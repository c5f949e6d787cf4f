/** Runs before each test file, also in a process that has run others: ids and phone numbers are the same in every run. */
import { Factories } from "@outdial/testkit"

Factories.restart()
