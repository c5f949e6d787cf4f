import {
  Engine,
  OutcomeSource,
  PhoneNumbers,
  Recordings,
  SecretBox,
  SimulatedTelephony,
  TimeZones,
  Wakeups,
  WebCrypto,
  WebhookTransport
} from "@outdial/core"
import { Migrations, SqlStorage } from "@outdial/sql"
import { Layer, Redacted } from "effect"

/** The engine on the host's own `SqlClient`, which the host provides. */
export const layer = Engine.layer({ publicUrl: "https://clinic.example" }).pipe(
  Layer.provide(SimulatedTelephony.layer({ speed: 1000 }).pipe(Layer.provide(Engine.layerLineReports))),
  Layer.provide(SqlStorage.layer.pipe(Layer.provide(Migrations.layer))),
  Layer.provide([
    OutcomeSource.OutcomeSource.layerDefault,
    PhoneNumbers.PhoneNumbers.layer,
    Recordings.Recordings.layerMemory,
    SecretBox.SecretBox.layer({ key: Redacted.make("ZXhhbXBsZSBrZXksIG5vdCBmb3IgcHJvZHVjdGlvbiE=") }),
    TimeZones.TimeZones.layer,
    Wakeups.Wakeups.layerMemory,
    WebhookTransport.WebhookTransport.layerMemory,
    WebCrypto.layerWebCrypto
  ])
)
