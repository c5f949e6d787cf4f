/** What the documentation says of each variable that `Config` reads; a test compares the two. */

export interface Variable {
  readonly default: string
  readonly meaning: string
}

const none = "none"

export const variables: Readonly<Record<string, Variable>> = {
  DATABASE_URL: {
    default: none,
    meaning:
      "The Postgres to keep everything in: `postgres://user:password@host:5432/database`; with `?sslmode=require` behind it by TLS. Wins over `OUTDIAL_DATA`."
  },
  OUTDIAL_SCHEMA: {
    default: "the first schema of the role's search path, mostly `public`",
    meaning:
      "The schema of the Postgres that everything is in, as `postgres({ schema })` of the library names it. `outdial migrate` and " +
      "`outdial serve` make it; every other command refuses a schema without Outdial's tables and names those that have them."
  },
  OUTDIAL_DATA: {
    default: none,
    meaning:
      "The folder to keep everything in where there is no Postgres, for one process at a time. With a Postgres, where recordings " +
      "are kept: in its `recordings`, below `.outdial` when not set."
  },
  PORT: { default: "4010", meaning: "The port that the server listens on." },
  OUTDIAL_ROLE: {
    default: "all",
    meaning:
      "What a server does: `all`; `api` serves `/v1` and leaves dialing, outcomes and deliveries to others on the same Postgres; " +
      "`worker` does that work, and serves only `/healthz`, `/readyz` and metrics."
  },
  OUTDIAL_PUBLIC_URL: {
    default: "`http://localhost:PORT`",
    meaning:
      "The root under which users reach the server, such as `https://calls.example.com`. Links to recordings begin with it."
  },
  OUTDIAL_SECRET_KEY: {
    default: "none; needed to serve",
    meaning:
      "Seals webhook secrets and signs links to recordings: 32 bytes in base64, made by `openssl rand -base64 32`, the same in " +
      "every process. See [secret keys](../guides/secret-keys.md)."
  },
  OUTDIAL_SECRET_KEY_PREVIOUS: {
    default: none,
    meaning: "Keys of before, separated by commas. They only open what they sealed."
  },
  OUTDIAL_WEBHOOK_ALLOW: {
    default: none,
    meaning:
      "`host:port` of webhook receivers that are not public, separated by commas. See [webhook network](../guides/webhook-network.md)."
  },
  OUTDIAL_CONFIG: {
    default: none,
    meaning:
      "A module with your carrier, outcome source, store of recordings and users; `--config` of `serve`, `doctor` and " +
      "`erase` goes before it. See [write a provider](../guides/write-a-provider.md#in-the-server)."
  },
  OUTDIAL_TIME_ZONES: {
    default: none,
    meaning: "A JSON file of time zones that the deployment knows better. See [scheduling](../concepts/scheduling.md)."
  },
  OUTDIAL_LOG_FORMAT: {
    default: "`pretty` on a terminal, else `json`",
    meaning: "`json`, one object a line, or `pretty`. Logs go to standard error."
  },
  OUTDIAL_LOG_LEVEL: { default: "info", meaning: "The least that is logged: `debug`, `info`, `warn` or `error`." },
  OUTDIAL_METRICS_PORT: {
    default: none,
    meaning: "A port of its own for `GET /metrics`. It needs no token unless one is set: keep it from the public."
  },
  OUTDIAL_METRICS_TOKEN: {
    default: none,
    meaning:
      "At least 16 characters that a reader of `GET /metrics` shows as `Authorization: Bearer …`. Without a port of their own, " +
      "metrics are served on `PORT` when this is set."
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: none,
    meaning: "Where traces are sent by OTLP over HTTP, such as `http://collector:4318`; `/v1/traces` is added."
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    default: none,
    meaning: "Headers to send them with, as `name=value`, separated by commas; values are percent-encoded."
  },
  OTEL_SERVICE_NAME: { default: "outdial", meaning: "The name of the service in traces." },
  OUTDIAL_DRAIN_DELAY_SECONDS: {
    default: "3",
    meaning:
      "How long a server that was asked to end says that it is not ready and still takes requests, 0 to 300: as long as the load " +
      "balancer takes to notice."
  },
  OUTDIAL_DRAIN_SECONDS: {
    default: "30",
    meaning: "How long what is in flight may take after that, 0 to 3600, before the process ends all the same."
  }
}
