/**
 * A button. `tone`: one `primary` per view, `danger` for what takes something away, `quiet` inside tables and cards. While `isPending` it cannot
 * be pressed and says so to screen readers. `ButtonLink` looks the same and leads to a page.
 */
import type { ReactNode } from "react"
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components"
import { Link, type LinkProps } from "react-router"

export type ButtonTone = "default" | "primary" | "danger" | "danger filled" | "quiet"

interface Look {
  readonly tone?: ButtonTone
  /** For rows and headings. */
  readonly isCompact?: boolean
  readonly children: ReactNode
}

const classOf = ({ isCompact = false, tone = "default" }: Omit<Look, "children">) =>
  `button ${tone}${isCompact ? " compact" : ""}`

export type ButtonProps = Look & Omit<AriaButtonProps, "children" | "className" | "style">

export const Button = ({ children, isCompact, tone, ...props }: ButtonProps) => (
  <AriaButton
    {...props}
    className={classOf({ ...(tone !== undefined && { tone }), ...(isCompact !== undefined && { isCompact }) })}
  >
    {children}
  </AriaButton>
)

export const ButtonLink = ({ children, isCompact, tone, ...props }: Look & Omit<LinkProps, "className">) => (
  <Link
    {...props}
    className={classOf({ ...(tone !== undefined && { tone }), ...(isCompact !== undefined && { isCompact }) })}
  >
    {children}
  </Link>
)
