/** Signs beside words. They are hidden from screen readers, so never use one alone: give its button an `aria-label`. */

const paths = {
  bars: "M3 5h14M3 10h14M3 15h14",
  check: "m4 10.5 4 4 8-9",
  clock: "M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm0 3.5V10l2.5 2",
  close: "m5 5 10 10M15 5 5 15",
  copy: "M7 7V3.5h9.5V13H13M3.5 7H13v9.5H3.5z",
  cross: "m6 6 8 8m0-8-8 8",
  down: "m5 8 5 5 5-5",
  pause: "M7 4v12M13 4v12",
  phone: "M4 4h3.2l1.3 3.6-1.8 1.3a9 9 0 0 0 4.4 4.4l1.3-1.8 3.6 1.3V16A12 12 0 0 1 4 4Z",
  play: "M6 4v12l10-6z",
  plus: "M10 4v12M4 10h12",
  ring: "M10 5a5 5 0 1 0 0 10 5 5 0 0 0 0-10Z",
  search: "M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11Zm4 9.5 3.5 3.5",
  warning: "M10 3 2.5 16.5h15zM10 8v4m0 2.2v.1"
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name, size = 16 }: { readonly name: IconName; readonly size?: number }) => (
  <svg
    aria-hidden="true"
    width={size}
    height={size}
    viewBox="0 0 20 20"
    fill="none"
    stroke="currentColor"
    strokeWidth="1.9"
    strokeLinecap="round"
    strokeLinejoin="round"
  >
    <path d={paths[name]} />
  </svg>
)
