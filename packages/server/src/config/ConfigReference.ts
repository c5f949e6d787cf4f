/** What the documentation says of each variable that `Config` reads; a test compares the two. */

export interface Variable {
  readonly default: string
  readonly meaning: string
}

const none = "none"

export const variables: Readonly<Record<string, Variable>> = {
  DATABASE_URL: {
    default: none,
    meaning: "The address of the Postgres for all data: `postgres://user:password@host:5432/database`. Append " +
      "`?sslmode=require` to use TLS. Takes precedence over `OUTDIAL_DATA`."
  },
  OUTDIAL_SCHEMA: {
    default: "the first schema of the role's search path, usually `public`",
    meaning: "The schema in Postgres for all tables; the same as `postgres({ schema })` in the library. `outdial " +
      "migrate` and `outdial serve` create it. Every other command refuses a schema without Outdial's tables, " +
      "and names the schemas that have them."
  },
  OUTDIAL_DATA: {
    default: none,
    meaning:
      "The folder for all data if there is no Postgres, for one process at a time. With a Postgres, the folder " +
      "whose subfolder `recordings` holds recordings; then the default is `.outdial`."
  },
  PORT: { default: "4010", meaning: "The port that the server listens on." },
  OUTDIAL_ROLE: {
    default: "all",
    meaning: "What the server does. `all`: everything. `api`: it serves `/v1` and leaves dialing, outcomes and " +
      "deliveries to other processes on the same Postgres. `worker`: it does that work, and serves only " +
      "`/healthz`, `/readyz` and metrics."
  },
  OUTDIAL_PUBLIC_URL: {
    default: "`http://localhost:PORT`",
    meaning:
      "The root URL under which users reach the server, such as `https://calls.example.com`. Links to recordings " +
      "begin with it."
  },
  OUTDIAL_SECRET_KEY: {
    default: "none; required by `serve`",
    meaning: "The key that seals webhook secrets and signs links to recordings: 32 bytes in base64, created with " +
      "`openssl rand -base64 32`, the same in every process. See [secret keys](../guides/secret-keys.md)."
  },
  OUTDIAL_SECRET_KEY_PREVIOUS: {
    default: none,
    meaning: "Previous keys, separated by commas. They only open what they sealed."
  },
  OUTDIAL_WEBHOOK_ALLOW: {
    default: none,
    meaning:
      "`host:port` of webhook receivers that are not public, separated by commas. See [webhook network](../guides/webhook-network.md)."
  },
  OUTDIAL_CONFIG: {
    default: none,
    meaning: "A module with your carrier, outcome source, recording store and users. The flag `--config` of `serve`, " +
      "`doctor` and `erase` takes precedence. See [write a " +
      "provider](../guides/write-a-provider.md#in-the-server)."
  },
  OUTDIAL_TIME_ZONES: {
    default: none,
    meaning: "A JSON file that corrects the time zone data. See [time zone " +
      "data](../concepts/scheduling.md#time-zone-data)."
  },
  OUTDIAL_LOG_FORMAT: {
    default: "`pretty` on a terminal, else `json`",
    meaning: "`json`, one object per line, or `pretty`. Logs go to standard error."
  },
  OUTDIAL_LOG_LEVEL: {
    default: "info",
    meaning: "The lowest level that is logged: `debug`, `info`, `warn` or `error`."
  },
  OUTDIAL_METRICS_PORT: {
    default: none,
    meaning: "A separate port for `GET /metrics`. It needs no token unless one is set, so do not expose it publicly."
  },
  OUTDIAL_METRICS_TOKEN: {
    default: none,
    meaning:
      "At least 16 characters that clients of `GET /metrics` send as `Authorization: Bearer …`. If this is set " +
      "without a separate port, metrics are served on `PORT`."
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: none,
    meaning: "The URL to which traces are sent by OTLP over HTTP, such as `http://collector:4318`; `/v1/traces` is " +
      "appended."
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    default: none,
    meaning: "Headers of these requests, as `name=value`, separated by commas; values are percent-encoded."
  },
  OTEL_SERVICE_NAME: {
    default: "outdial",
    meaning: "The service name in traces."
  },
  OUTDIAL_DRAIN_DELAY_SECONDS: {
    default: "3",
    meaning: "How long a server that is shutting down reports that it is not ready and still accepts requests, 0 to " +
      "300. Set it to the time that the load balancer takes to notice."
  },
  OUTDIAL_DRAIN_SECONDS: {
    default: "30",
    meaning: "How long work in flight may take after that, 0 to 3600, before the process exits in any case."
  }
}
