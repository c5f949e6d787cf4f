/** What of Outdial needs Node. */
export * as AddressGate from "./AddressGate.ts"
export * as FileRecordings from "./FileRecordings.ts"
export * as GatedTransport from "./GatedTransport.ts"
export { NodeHandler } from "./NodeHandler.ts"
export * as NodeMac from "./NodeMac.ts"
export * as ProtocolErrors from "./ProtocolErrors.ts"
