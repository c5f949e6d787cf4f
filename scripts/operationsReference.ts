/** The pages of the reference that operators read: every variable of the environment, and every series of the metrics. */
import { HttpMetrics } from "@outdial/http"
import { Metrics } from "@outdial/core"
import { StorageMetrics } from "@outdial/sql"
import { variables } from "../packages/server/src/config/ConfigReference.ts"

const cell = (text: string): string => text.replaceAll("|", "\\|")

export const configurationReference = (): string =>
  [
    "# Configuration\n",
    "The server and the commands take these from their environment, and nothing else. A wrong value stops the start with a",
    "message that names the variable; an empty one counts as not set. `outdial doctor` checks them against what they name.\n",
    "| Variable | Default | Meaning |\n| --- | --- | --- |",
    ...Object.entries(variables).map(([name, { default: standard, meaning }]) =>
      `| \`${name}\` | ${cell(standard)} | ${cell(meaning)} |`
    ),
    "\n`OTEL_RESOURCE_ATTRIBUTES` adds attributes to traces, as OpenTelemetry has it.\n"
  ].join("\n")

export const metricsReference = (): string =>
  [
    "# Metrics\n",
    "What `GET /metrics` shows in the text format of Prometheus; how to have it served, and what to watch, is in",
    "[operating it](../guides/operate.md#metrics). Counters and histograms are this process's own: sum them over all processes.",
    "Gauges of calls, lines, deliveries and endpoints are the whole deployment's, the same in every process: take the maximum.\n",
    "| Series | Type | Meaning |\n| --- | --- | --- |",
    ...[...Metrics.described, ...HttpMetrics.described, ...StorageMetrics.described].map(({ description, id, type }) =>
      `| \`${id}\` | ${type.toLowerCase()} | ${cell(description ?? "")} |`
    ),
    "| `process_resident_memory_bytes` | gauge | Memory of this process; of `outdial serve` |",
    ""
  ].join("\n")
