/** A delivery as the receiver has seen it. */
export interface Received {
  readonly accountId: string
  readonly eventId: string
  /** Of the bytes of the body. */
  readonly hash: string
  readonly isGenuine: boolean
  /** What the receiver set out to answer; 0 where it cut the connection. */
  readonly answer: number
}
