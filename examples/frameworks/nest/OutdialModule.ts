import { Inject, Module, type OnApplicationShutdown } from "@nestjs/common"
import { Outdial, SimulatedTelephony } from "@outdial/core"
import { NodeHandler } from "@outdial/node"
import { postgres } from "@outdial/sql"

/** Inject it with `@Inject(Engine) engine: Outdial.Outdial` to start calls from the host's code. */
export const Engine = Symbol("Outdial")
/** The handler of HTTP requests. */
export const Handler = Symbol("Outdial over HTTP")

const { DATABASE_URL = "", OUTDIAL_SECRET_KEY = "" } = process.env

const open = () =>
  Outdial.open({
    ...postgres({ url: DATABASE_URL }),
    telephony: SimulatedTelephony.layer(), // Replace it by your carrier to ring real phones.
    secretKey: OUTDIAL_SECRET_KEY,
    agents: [{ name: "Ada", script: "Hello", questions: ["Tuesday?"], dispositions: ["yes", "no"] }]
  })

const mount = (engine: Outdial.Outdial) => NodeHandler.over(engine, { basePath: "/api" })

@Module({
  providers: [{ provide: Engine, useFactory: open }, { provide: Handler, useFactory: mount, inject: [Engine] }],
  exports: [Engine, Handler]
})
export class OutdialModule implements OnApplicationShutdown {
  constructor(@Inject(Engine) private readonly engine: Outdial.Outdial) {}

  // `onModuleDestroy` would be too early, because the server still accepts requests then.
  onApplicationShutdown = () => this.engine.close()
}
