import "reflect-metadata"
import { Body, Controller, Inject, Module, Post } from "@nestjs/common"
import { NestFactory } from "@nestjs/core"
import type { Outdial } from "@outdial/core"
import { Engine, Handler, OutdialModule } from "./OutdialModule.ts"

/** A route of the host: it books a visit and starts a call about it. */
@Controller("visits")
class Visits {
  constructor(@Inject(Engine) private readonly engine: Outdial.Outdial) {}

  @Post()
  async book(@Body() { id, phoneNumber }: { id: string; phoneNumber: string }) {
    const agent = await this.engine.agents.byName("Ada")
    const call = await this.engine.calls.start({ agentId: agent.id, phoneNumber }, { idempotencyKey: id })
    return { id, callId: call.id }
  }
}

@Module({ imports: [OutdialModule], controllers: [Visits] })
class App {}

const app = await NestFactory.create(App)
// Mounted here, Outdial comes before Nest's body parser, which has limits and errors of its own.
app.use("/api", app.get(Handler))
// The WebSockets of carriers.
app.getHttpServer().on("upgrade", app.get(Handler).upgrade)
app.enableShutdownHooks()
await app.listen(process.env.PORT ?? 3000)
