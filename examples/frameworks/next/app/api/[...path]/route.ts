import { outdial } from "../../../outdial"

const handle = async (request: Request) => (await outdial()).handler(request)

// Also what Outdial has no route for: it then answers in its own way.
export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT
}
