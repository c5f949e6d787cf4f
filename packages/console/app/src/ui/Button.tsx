/**
 * A button. `tone`: one `primary` per view, `danger` for what takes something away, `quiet` inside tables and cards. While `isPending` it does nothing,
 * keeps the focus, and says so to screen readers; one that becomes disabled while it has the focus keeps it too, so that the keyboard continues
 * from there. `ButtonLink` looks the same and leads to a page.
 */
import { type ReactNode, useState } from "react"
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components"
import { Link, type LinkProps } from "react-router"
import { useTexts } from "../texts/Language.tsx"

export type ButtonTone = "default" | "primary" | "danger" | "danger filled" | "quiet"

interface Look {
  readonly tone?: ButtonTone
  /** For rows and headings. */
  readonly isCompact?: boolean
  /** The text begins at the start of the line, and may take several. */
  readonly isLeft?: boolean
  readonly children: ReactNode
}

const classOf = (tone: ButtonTone = "default", isCompact = false, isIdle = false, isLeft = false) =>
  `button ${tone}${isCompact ? " compact" : ""}${isIdle ? " idle" : ""}${isLeft ? " left" : ""}`

export type ButtonProps = Look & Omit<AriaButtonProps, "children" | "className" | "style">

export const Button = (
  { children, isCompact, isDisabled = false, isLeft, isPending = false, onPress, tone, type, ...props }: ButtonProps
) => {
  const { common } = useTexts()
  const [isFocused, setIsFocused] = useState(false)
  const isIdle = isPending || isDisabled
  return (
    <AriaButton
      {...props}
      // React Aria's own `isPending` announces the button by its id, which is wrong once the button is gone.
      type={isIdle ? "button" : type ?? "button"}
      className={classOf(tone, isCompact, isIdle, isLeft)}
      isDisabled={isDisabled && !isFocused}
      onFocusChange={setIsFocused}
      {...(isDisabled && isFocused && { "aria-disabled": true })}
      {...(onPress !== undefined && !isIdle && { onPress })}
    >
      {children}
      {isPending && <span className="hidden-visually" role="status">{common.working}</span>}
    </AriaButton>
  )
}

export const ButtonLink = ({ children, isCompact, isLeft, tone, ...props }: Look & Omit<LinkProps, "className">) => (
  <Link {...props} className={classOf(tone, isCompact, false, isLeft)}>{children}</Link>
)
