import { outdial } from "../../../outdial"

const handle = async (request: Request) => (await outdial()).handler(request)

// Every method, so that Outdial also answers unknown routes in its own error format.
export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT
}
