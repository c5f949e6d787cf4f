/** The parts of Outdial that need Node. */
export * as AddressGate from "./webhook/AddressGate.ts"
export * as FileRecordings from "./recording/FileRecordings.ts"
export * as GatedTransport from "./webhook/GatedTransport.ts"
export { type Listener, NodeHandler } from "./NodeHandler.ts"
export * as NodeMac from "./NodeMac.ts"
export * as ProtocolErrors from "./ProtocolErrors.ts"
export * as WebSockets from "./WebSockets.ts"
export * as WebSocketClients from "./WebSocketClients.ts"
