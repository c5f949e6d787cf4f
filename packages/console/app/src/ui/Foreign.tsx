/**
 * Text that a contact, an agent, a receiver or another user wrote. It is always text and never HTML; its direction is isolated from ours, so that
 * control characters for right-to-left writing cannot change what stands beside it; long words wrap. `isLine` keeps it on one line, cut with an
 * ellipsis, and shows the whole on hover.
 */
export const Foreign = ({ isLine = false, text }: { readonly text: string; readonly isLine?: boolean }) =>
  isLine
    ? <bdi className="one-line" dir="auto" title={text}>{text}</bdi>
    : <bdi className="foreign" dir="auto">{text}</bdi>
