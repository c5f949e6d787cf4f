/** The pages of the reference that operators read: every variable of the environment, and every series of the metrics. */
import { HttpMetrics } from "@outdial/http"
import { Metrics } from "@outdial/core"
import { StorageMetrics } from "@outdial/sql"
import { reference } from "../packages/server/src/config/Config.ts"

const cell = (text: string): string => text.replaceAll("|", "\\|")

export const configurationReference = (): string =>
  [
    "# Configuration\n",
    "The server and the commands read these variables from their environment. An invalid value stops the start with a message",
    "that names the variable, and an empty value counts as not set. `outdial doctor` checks that the values work.\n",
    "| Variable | Default | Meaning |\n| --- | --- | --- |",
    ...Object.entries(reference).map(([name, { default: standard, meaning }]) =>
      `| \`${name}\` | ${cell(standard)} | ${cell(meaning)} |`
    ),
    "\n`OTEL_RESOURCE_ATTRIBUTES` adds attributes to traces, as in OpenTelemetry.\n"
  ].join("\n")

export const metricsReference = (): string =>
  [
    "# Metrics\n",
    "`GET /metrics` serves these series in the Prometheus text format. The [guide to operation](../guides/operate.md#metrics) says how to",
    "enable it and what to watch. Counters and histograms count this process: sum them over all processes. Gauges of calls, lines,",
    "deliveries and endpoints describe the whole deployment and are the same in every process: take the maximum.\n",
    "| Series | Type | Meaning |\n| --- | --- | --- |",
    ...[...Metrics.described, ...HttpMetrics.described, ...StorageMetrics.described].map(({ description, id, type }) =>
      `| \`${id}\` | ${type.toLowerCase()} | ${cell(description ?? "")} |`
    ),
    "| `process_resident_memory_bytes` | gauge | Memory of this process; only in `outdial serve` |",
    "\n## Percentiles\n",
    "Prometheus computes percentiles from the buckets of a histogram, over all processes and any time. The latency of answers has buckets of",
    "at most 250 ms up to 2 seconds. The p95 of each agent in the last hour, and the p50 of each model:\n",
    "```promql",
    "histogram_quantile(0.95, sum by (agent, le) (rate(outdial_answer_seconds_bucket[1h])))",
    "histogram_quantile(0.5, sum by (model, le) (rate(outdial_model_first_part_seconds_bucket[1h])))",
    "```\n"
  ].join("\n")
